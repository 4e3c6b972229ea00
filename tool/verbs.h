/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The verbs of syntrace(1), one file each. argv[0] is the verb; the result is the exit status. */
#ifndef SYT_TOOL_VERBS_H
#define SYT_TOOL_VERBS_H

int syt_record_main(int argc, char **argv);
int syt_doctor_main(int argc, char **argv);
int syt_pause_main(int argc, char **argv);
int syt_resume_main(int argc, char **argv);
int syt_snapshot_main(int argc, char **argv);
int syt_top_main(int argc, char **argv);

/* `syntrace CMD...`: record into the default directory. argv[0] is the tool's name. */
int syt_record_command(int argc, char **argv);

#endif
