#pragma once
// The parts of SQLite that Swift cannot import: variadic functions, and macros that cast a number to a pointer.
#include <sqlite3.h>

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
