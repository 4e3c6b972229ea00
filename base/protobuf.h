/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Macros that set the fields of a protobuf message, a struct made by protoc-c. */
#ifndef SYT_BASE_PROTOBUF_H
#define SYT_BASE_PROTOBUF_H

/* Sets an optional field: its value, and the member which tells that the field is present. */
#define SYT_PROTOBUF_SET(message_, field_, value_)                                                 \
	((message_)->has_##field_ = true, (message_)->field_ = (value_))

/* Sets a repeated field to the array FIRST_ of NR_ elements or, for messages, of NR_ pointers. */
#define SYT_PROTOBUF_LIST(message_, field_, first_, nr_)                                           \
	((message_)->n_##field_ = (nr_), (message_)->field_ = (first_))

#endif
