-- SPDX-License-Identifier: LGPL-2.1-or-later
-- SPDX-FileCopyrightText: 2026 The syntrace authors
--
-- The bookshop of shop.php: the tables of TPC-W that its pages use.
CREATE TABLE item (id int PRIMARY KEY, subject int, title text, author text, price int, sold int, stock int CHECK (stock >= 0),
	about text);
CREATE TABLE customer (session text PRIMARY KEY, name text);
CREATE TABLE cart (session text, item int, qty int, PRIMARY KEY (session, item));
CREATE TABLE orders (id serial PRIMARY KEY, session text, total int);
CREATE TABLE line (orders int, item int, qty int);
CREATE INDEX ON orders (session);
CREATE INDEX ON line (orders);
-- Every 25th book is sold out.
INSERT INTO item SELECT n, n % 8, 'The art of ' || md5(n::text), md5((n % 97)::text), 100 + n % 900, n * 7919 % 1000,
	CASE WHEN n % 25 = 0 THEN 0 ELSE 1000000 END, repeat(md5(n::text), 20) FROM generate_series(1, 1000) n;
INSERT INTO customer SELECT 's' || n, 'customer ' || n FROM generate_series(0, 9) n;
ANALYZE;
CHECKPOINT;
