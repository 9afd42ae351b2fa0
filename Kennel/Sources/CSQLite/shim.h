#pragma once
// The parts of SQLite that Swift cannot import: variadic functions, macros that cast a number to a pointer, and volatile
// memory.
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/// Binds a value. SQLite copies the bytes before this returns (SQLITE_TRANSIENT).
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds a value. SQLite copies the bytes before this returns (SQLITE_TRANSIENT).
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Forbids SQL that could damage the file, and functions with side effects in a manipulated schema.
static inline int csqlite_defend(sqlite3 *connection) {
  int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (code != SQLITE_OK) return code;
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

/// Returns the index of the write-ahead log, which all processes that have the database open share, or null if there is
/// none. It is valid for as long as the connection is open. The connection must have read from the database.
static inline const volatile void *csqlite_log_index(sqlite3 *connection) {
  sqlite3_file *file = 0;
  // "obtain a pointer to the sqlite3_file object associated with a particular database connection"
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  // The methods for shared memory exist from version 2 of the structure.
  if (code != SQLITE_OK || !file || !file->pMethods || file->pMethods->iVersion < 2) return 0;
  void volatile *index = 0;
  // The first region, of 32 KiB. It is not created here: it exists from the first use of the log.
  if (file->pMethods->xShmMap(file, 0, 32768, 0, &index) != SQLITE_OK) return 0;
  return index;
}

/// The size of the header of a log's index in 8-byte words.
#define CSQLITE_LOG_HEADER_WORDS 6

/// Copies the header of a log's index. Returns false while a process is writing it.
///
/// The index begins with two equal copies of the header (https://www.sqlite.org/walformat.html). A writer changes the
/// second copy first, so a reader that reads the first one first, and finds that both are equal, has a complete header.
/// Other processes write it too, so no lock can order the two: ThreadSanitizer must not look for one.
__attribute__((no_sanitize("thread")))
static inline bool csqlite_copy_log_header(const volatile void *index, uint64_t *header) {
  const volatile uint64_t *first = (const volatile uint64_t *)index;
  const volatile uint64_t *second = first + CSQLITE_LOG_HEADER_WORDS;
  for (int word = 0; word < CSQLITE_LOG_HEADER_WORDS; word++) header[word] = first[word];
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  bool is_stable = true;
  for (int word = 0; word < CSQLITE_LOG_HEADER_WORDS; word++) is_stable &= header[word] == second[word];
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return is_stable;
}
