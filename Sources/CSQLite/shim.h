#pragma once
// What Swift cannot import of SQLite: variadic functions, and macros that cast a number to a pointer.
#include <sqlite3.h>

/// The bytes are copied before this returns (SQLITE_TRANSIENT).
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// The bytes are copied before this returns (SQLITE_TRANSIENT).
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Forbids what could damage the file through SQL, and functions with effects in a schema that somebody tampered with.
static inline int csqlite_defend(sqlite3 *connection) {
  int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (code != SQLITE_OK) return code;
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}
