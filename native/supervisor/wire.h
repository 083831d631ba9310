/* Generated from src/protocol/supervisor.ts by npm run generate. Do not edit. */
#ifndef STROBE_WIRE_H
#define STROBE_WIRE_H

#define WIRE_VERSION 3u
#define WIRE_SPEC_MAGIC 1263555155u
#define WIRE_MAX_SPEC_BYTES 8388608u
#define WIRE_MAX_FRAME_BYTES 131072u
#define WIRE_MAX_INPUT_BYTES 65536u
#define WIRE_MAX_OUTPUT_BYTES 65536u
#define WIRE_LOW_NUMBERS 32u
#define WIRE_FORWARD_SIGNAL 34u
#define WIRE_MAX_SOCKET_PATH 107u
#define WIRE_LINGER_MS 60000u
#define WIRE_DECIDE_MS 10000u
#define WIRE_HOLD_MS 60000u
#define WIRE_MAX_PROGRAM_BYTES 4096u

#define SPEC_AT_MAGIC 0u
#define SPEC_AT_VERSION 4u
#define SPEC_AT_FLAGS 8u
#define SPEC_AT_STDIN 12u
#define SPEC_AT_RELEASE_MS 16u
#define SPEC_AT_UMASK 20u
#define SPEC_AT_MAX_LOG_BYTES 24u
#define SPEC_AT_ARG_COUNT 32u
#define SPEC_AT_ENV_COUNT 36u
#define SPEC_AT_COLUMNS 40u
#define SPEC_AT_ROWS 44u
#define SPEC_AT_IGNORED_SIGNALS 48u
#define SPEC_BYTES 52u

#define SPEC_FLAG_STOP_AT_EXEC 1u
#define SPEC_FLAG_INHERIT 2u
#define SPEC_FLAG_TERMINAL 4u
#define SPEC_FLAG_FOLLOW 8u

#define STDIN_CLOSED 0u
#define STDIN_OPEN 1u

#define ANSWER_AT_STAGE 0u
#define ANSWER_AT_ERRNO 4u
#define ANSWER_AT_SUPERVISOR_PID 8u
#define ANSWER_AT_TARGET_PID 12u
#define ANSWER_AT_STARTED_NS 16u
#define ANSWER_BYTES 24u

#define STAGE_NONE 0u
#define STAGE_SPEC 1u
#define STAGE_SETUP 2u
#define STAGE_FORK 3u
#define STAGE_STDIO 4u
#define STAGE_CHDIR 5u
#define STAGE_TRACE 6u
#define STAGE_EXEC 7u

#define LOG_AT_LENGTH 0u
#define LOG_AT_TYPE 4u
#define LOG_AT_TIME 8u
#define LOG_BYTES 16u

#define LOG_STDOUT 1u
#define LOG_STDERR 2u
#define LOG_STARTED 3u
#define LOG_EXEC_FAILED 4u
#define LOG_EXITED 5u
#define LOG_CLOSED 6u
#define LOG_CLOCK 7u
#define LOG_ENDED 8u
#define LOG_LOST 9u
#define LOG_EXEC 10u
#define LOG_FORKED 11u
#define LOG_GONE 12u
#define LOG_FOLLOW 13u
#define LOG_FAILOVER 14u
#define LOG_WAITED 15u
#define LOG_UNKEPT 16u

#define EXEC_FLAG_UNPRIVILEGED 1u

#define REQUEST_RESUME 1u
#define REQUEST_INPUT 2u
#define REQUEST_INPUT_EOF 3u
#define REQUEST_SIGNAL 4u
#define REQUEST_CLOCK 5u
#define REQUEST_QUIT 6u
#define REQUEST_FORGET 7u
#define REQUEST_DECIDE 8u
#define REQUEST_ASK 9u
#define REQUEST_SCAN 10u

#define DECISION_GO 0u
#define DECISION_HOLD 1u
#define DECISION_PASS 2u

#define SCOPE_TARGET 0u
#define SCOPE_TREE 1u

#define EVENT_HELLO 1u
#define EVENT_GROWN 2u
#define EVENT_DONE 3u
#define EVENT_CLOCK 4u
#define EVENT_STATE 5u
#define EVENT_EXEC 6u
#define EVENT_HELD 7u

#define STATE_STOPPED 0u
#define STATE_RUNNING 1u
#define STATE_EXITED 2u
#define STATE_ENDED 3u

#endif
