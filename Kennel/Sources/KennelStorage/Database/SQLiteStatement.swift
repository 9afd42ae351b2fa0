import CSQLite

/// A prepared statement, finalized with its last owner.
final class SQLiteStatement {
  let handle: OpaquePointer

  init(handle: OpaquePointer) { self.handle = handle }

  deinit { sqlite3_finalize(handle) }

  func bind(_ value: SQLValue, at index: Int32) -> Int32 {
    switch value {
    case .integer(let number): return sqlite3_bind_int64(handle, index, number)
    case .null: return sqlite3_bind_null(handle, index)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          // A null pointer would bind NULL, so an empty text also needs an address.
          guard let base = characters.baseAddress else { return csqlite_bind_text(handle, index, "", 0) }
          return csqlite_bind_text(handle, index, base, UInt64(characters.count))
        }
      }
    case .blob(let bytes):
      return bytes.withUnsafeBytes { buffer in
        guard let base = buffer.baseAddress else { return sqlite3_bind_zeroblob(handle, index, 0) }
        return csqlite_bind_blob(handle, index, base, UInt64(buffer.count))
      }
    }
  }

  func rewind() {
    // "If the most recent call to sqlite3_step returned an error, sqlite3_reset returns it again". It has already been
    // reported.
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }
}

/// The columns of the row that a statement of SQLite has reached.
enum SQLiteColumns {
  static func integer(_ statement: OpaquePointer, _ column: Int32) -> Int64 {
    sqlite3_column_int64(statement, column)
  }

  static func isNull(_ statement: OpaquePointer, _ column: Int32) -> Bool {
    sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  /// The complete text, including NUL characters.
  static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  static func blob(_ statement: OpaquePointer, _ column: Int32) -> [UInt8] {
    // "The return value from sqlite3_column_blob() for a zero-length BLOB is a NULL pointer."
    guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
  }

  /// The value of any column.
  static func value(_ statement: OpaquePointer, _ column: Int32) -> SQLValue {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer(integer(statement, column))
    case SQLITE_BLOB: .blob(blob(statement, column))
    default: .text(text(statement, column))
    }
  }
}
