<?php
// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The syntrace authors
//
// A bookshop with the interactions of TPC-W. One URL hides several kinds of work: an empty or a full cart, a page from the
// cache, an error. Each request appends one line to pages.tsv: its id, its URL, its kind, the number of its queries, the bytes
// that its queries and their answers have in PostgreSQL's protocol, and its backend.
// Each query carries the id of the request as a comment. The header X-Fault makes one request do more work than others.

$id = $_SERVER['HTTP_X_REQUEST'] ?? '-';
$dir = $_SERVER['SHOP_DIR'];
$page = trim(strtok($_SERVER['REQUEST_URI'], '?'), '/');
$session = $_COOKIE['session'] ?? '';
$item = (int)($_GET['i'] ?? 1);
$nr = $sent = $received = 0;
$db = null;

// The bytes of an answer: the messages T, D, C or E, and Z.
function answer_bytes($result)
{
	if ($result === false || pg_result_status($result) == PGSQL_FATAL_ERROR) {
		$bytes = 6;
		// Severity twice (S and V), then what PHP has a name for; V is not translated, and the locale is C.
		foreach ([PGSQL_DIAG_SEVERITY, PGSQL_DIAG_SEVERITY, PGSQL_DIAG_SQLSTATE, PGSQL_DIAG_MESSAGE_PRIMARY,
			PGSQL_DIAG_MESSAGE_DETAIL, PGSQL_DIAG_MESSAGE_HINT, PGSQL_DIAG_STATEMENT_POSITION, PGSQL_DIAG_CONTEXT,
			PGSQL_DIAG_SCHEMA_NAME, PGSQL_DIAG_TABLE_NAME, PGSQL_DIAG_COLUMN_NAME, PGSQL_DIAG_DATATYPE_NAME,
			PGSQL_DIAG_CONSTRAINT_NAME, PGSQL_DIAG_SOURCE_FILE, PGSQL_DIAG_SOURCE_LINE, PGSQL_DIAG_SOURCE_FUNCTION] as $field) {
			$text = pg_result_error_field($result, $field);
			$bytes += is_string($text) ? strlen($text) + 2 : 0;
		}
		return $bytes + 6;
	}
	$bytes = 5 + strlen(pg_result_status($result, PGSQL_STATUS_STRING)) + 1 + 6;
	if (pg_result_status($result) != PGSQL_TUPLES_OK)
		return $bytes;
	$bytes += 7;
	for ($i = 0; $i < pg_num_fields($result); $i++)
		$bytes += strlen(pg_field_name($result, $i)) + 19;
	foreach (pg_fetch_all($result, PGSQL_NUM) as $row) {
		$bytes += 7;
		foreach ($row as $value)
			$bytes += 4 + strlen($value ?? '');
	}
	return $bytes;
}

// Both queries have the same bytes in the protocol. PHP waits for the answer of the second one in another function of libpq.
function send_query($db, $sql)
{
	pg_send_query($db, $sql);
	$result = pg_get_result($db);
	while (pg_get_result($db))
		;
	return $result;
}

function query($sql, $ask = 'send_query')
{
	global $db, $id, $nr, $sent, $received;

	$db ??= pg_pconnect('host=' . $_SERVER['SHOP_DIR'] . ' user=me dbname=postgres');
	$sql .= " /* $id */";
	$result = $ask($db, $sql);
	$nr++;
	$sent += strlen($sql) + 6;
	$received += answer_bytes($result);
	return pg_result_status($result) == PGSQL_FATAL_ERROR ? null : pg_fetch_all($result);
}

function text($value)
{
	return "'" . str_replace("'", "''", $value) . "'";
}

function table($rows)
{
	$html = '<table>';
	foreach ($rows as $row)
		$html .= '<tr><td>' . implode('<td>', array_map('htmlspecialchars', $row)) . "\n";
	return $html . '</table>';
}

function form($what)
{
	return ["form", "<form method=post><input name=$what><input type=submit></form>"];
}

// A page that is made once and then read from a file, until a purchase or the administrator removes it.
function cached($name, $sql)
{
	global $dir, $id;
	$file = "$dir/cache/$name";
	$html = @file_get_contents($file);
	if ($html !== false)
		return ["hit", $html];
	$html = table(query($sql));
	file_put_contents("$file.$id", $html);
	rename("$file.$id", $file);
	return ["miss", $html];
}

function lines($session)
{
	return query('SELECT item, qty FROM cart WHERE session = ' . text($session) . ' ORDER BY item');
}

function home()
{
	global $session;
	$name = $session == '' ? [] : query('SELECT name FROM customer WHERE session = ' . text(substr($session, 0, 2)));
	return [$name ? 'customer' : 'guest', '<h1>Welcome ' . ($name[0]['name'] ?? '') . '</h1>'];
}

function product_detail()
{
	global $item;
	$rows = query("SELECT title, author, price, stock, about FROM item WHERE id = $item");
	if ($rows)
		return ['found', table($rows)];
	http_response_code(404);
	return ['unknown', 'There is no such book.'];
}

function search_results()
{
	$rows = query('SELECT id, title, author FROM item WHERE title LIKE ' . text('%' . ($_GET['q'] ?? '') . '%') . ' ORDER BY title LIMIT 50');
	return [$rows ? 'found' : 'none', table($rows)];
}

function shopping_cart()
{
	global $item, $session;
	$nr = (int)($_GET['add'] ?? 0);
	for ($i = 0; $i < $nr; $i++)
		query('INSERT INTO cart VALUES (' . text($session) . ', ' . ($item + 25 * $i) . ', 1) ON CONFLICT (session, item) DO UPDATE SET qty = cart.qty + 1');
	if ($nr) {
		http_response_code(303);
		header('Location: /shopping_cart');
		return [$nr == 1 ? 'add' : 'add list', ''];
	}
	$rows = lines($session);
	$html = '';
	foreach ($rows as $row)
		$html .= table(query("SELECT title, price FROM item WHERE id = $row[item]"));
	return [count($rows) > 4 ? 'full' : ($rows ? 'small' : 'empty'), $html];
}

function buy_request()
{
	global $session;
	$rows = lines($session);
	if (!$rows) {
		http_response_code(303);
		header('Location: /home');
		return ['empty', ''];
	}
	$total = query('SELECT sum(qty * price) FROM cart, item WHERE item.id = cart.item AND session = ' . text($session));
	return ['full', table($rows) . table($total)];
}

function buy_confirm()
{
	global $session, $dir, $id;
	$rows = lines($session);
	if (!$rows) {
		http_response_code(303);
		header('Location: /home');
		return ['empty', ''];
	}
	query('BEGIN');
	$order = query('INSERT INTO orders (session, total) VALUES (' . text($session) . ', 0) RETURNING id')[0]['id'];
	foreach ($rows as $row) {
		if (query("UPDATE item SET stock = stock - $row[qty], sold = sold + $row[qty] WHERE id = $row[item]") === null) {
			query('ROLLBACK');
			query('DELETE FROM cart WHERE session = ' . text($session));
			http_response_code(409);
			return ['sold out', 'One of the books is sold out.'];
		}
		query("INSERT INTO line VALUES ($order, $row[item], $row[qty])");
	}
	query('DELETE FROM cart WHERE session = ' . text($session));
	query('COMMIT');
	$card = hash_pbkdf2('sha256', $id, 'shop', 5000); // the work of a payment
	file_put_contents("$dir/orders/$order", str_repeat("$card\n", 1000));
	@unlink("$dir/cache/best" . $rows[0]['item'] % 8);
	return ['bought', "Order $order, card $card"];
}

function order_display()
{
	global $session;
	$rows = query('SELECT id FROM orders WHERE session = ' . text($session) . ' ORDER BY id DESC LIMIT 1');
	if (!$rows)
		return ['none', 'You have no orders.'];
	return ['order', table(query("SELECT title, line.qty, price, about FROM line, item WHERE item = item.id AND orders = {$rows[0]['id']} ORDER BY item"))];
}

function admin_confirm()
{
	global $item, $dir;
	if (!isset($_GET['key'])) {
		http_response_code(403);
		return ['refused', 'Only for the administrator.'];
	}
	query("UPDATE item SET price = price + 1 WHERE id = $item");
	@unlink("$dir/cache/new" . $item % 8);
	@unlink("$dir/cache/best" . $item % 8);
	return ['changed', 'The price is changed.'];
}

function commit($fault)
{
	global $dir;

	if ($fault == 'read')
		md5_file("$dir/shop.sql");
	elseif ($fault == 'sleep')
		usleep(30000);
	elseif ($fault == 'query')
		query('SELECT count(*) FROM customer', 'pg_query');
	elseif ($fault == 'again')
		query('SELECT count(*) FROM customer');
	elseif ($fault == 'spin')
		for ($i = 0; $i < 200000; $i++)
			md5($i);
}

commit(trim($_SERVER['HTTP_X_FAULT'] ?? ''));
$subject = $item % 8;
[$kind, $html] = match ($page) {
	'home' => home(),
	'new_products' => cached("new$subject", "SELECT id, title, price FROM item WHERE subject = $subject ORDER BY id DESC LIMIT 20"),
	'best_sellers' => cached("best$subject", "SELECT id, title, price, sold, about FROM item WHERE subject = $subject ORDER BY sold DESC, md5(about) LIMIT 50"),
	'product_detail' => product_detail(),
	'search_results' => search_results(),
	'shopping_cart' => shopping_cart(),
	'buy_request' => buy_request(),
	'buy_confirm' => buy_confirm(),
	'order_display' => order_display(),
	'admin_request' => product_detail(),
	'admin_confirm' => admin_confirm(),
	'search_request', 'customer_registration', 'order_inquiry' => form($page),
};
$html = "<!DOCTYPE html><title>$page</title>$html\n";
header('Content-Length: ' . strlen($html));
echo $html;
file_put_contents("$dir/pages.tsv", "$id\t$page\t$kind\t$nr\t$sent\t$received\t" . ($db ? pg_get_pid($db) : '-') . "\n", FILE_APPEND);
