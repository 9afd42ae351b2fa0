import Glibc

/// A connection of libpq. One thread at a time uses it; it is closed with its last owner.
///
/// `@unchecked Sendable`: one thread opens the handle, and passes it to the loop with a command. After that, only the loop
/// uses it.
final class PostgresHandle: @unchecked Sendable {
  private let library: LibPQ
  private let connection: OpaquePointer

  /// Begins to connect. This reads files and looks up the name of the host, so it may block.
  ///
  /// - Throws: `libraryMissing`, `badAddress`; `cannotConnect` if there is no memory.
  init(_ address: PostgresAddress) throws(PostgresError) {
    let library = try LibPQ.shared()
    self.library = library
    let parameters = address.parameters
    let keywords = CTexts(parameters.map(\.0))
    let values = CTexts(parameters.map(\.1))
    // 1: The value of dbname may be a URL.
    let made = withExtendedLifetime((keywords, values)) {
      library.connectStartParams(keywords.pointers, values.pointers, 1)
    }
    guard let connection = made else {
      throw PostgresError(.cannotConnect, "There is not enough memory for a connection to the database.")
    }
    self.connection = connection
    // The default writes notices to the standard error.
    _ = library.setNoticeProcessor(connection, { _, _ in }, nil)
    // While a connection is made, the message is the only place with the server's code.
    _ = library.setErrorVerbosity(connection, LibPQ.errorsWithCode)
  }

  deinit { library.finish(connection) }

  /// The socket, which may change while the connection is made; -1 if there is none.
  var socket: Int32 { library.socket(connection) }

  enum Polling {
    case reading, writing, connected, failed
  }

  /// Continues to connect when the socket is ready.
  func poll() -> Polling {
    switch library.connectPoll(connection) {
    case LibPQ.pollingReading: return .reading
    case LibPQ.pollingWriting: return .writing
    case LibPQ.pollingOK: return library.setNonBlocking(connection, 1) == 0 ? .connected : .failed
    default: return .failed
    }
  }

  var hasFailed: Bool { library.status(connection) == LibPQ.connectionBad }

  /// Whether no transaction is open.
  var isIdle: Bool { library.transactionStatus(connection) == 0 }

  /// The latest error in one line. It contains no password.
  var message: String { Self.line(library.errorMessage(connection)) }

  var host: String { library.host(connection).map { String(cString: $0) } ?? "" }

  // MARK: Sending

  func send(script: String) -> Bool { library.sendQuery(connection, script) == 1 }

  func sendPrepare(_ name: String, _ sql: String) -> Bool {
    library.sendPrepare(connection, name, sql, 0, nil) == 1
  }

  /// Sends the values for a prepared statement, and asks for the rows one by one.
  func send(_ name: String, _ values: [PostgresValue]) -> Bool {
    let texts = CTexts(values.map(\.encoded))
    let lengths = values.map { $0.byteCount }
    let formats = values.map { $0.isBinary ? Int32(1) : 0 }
    let isSent = withExtendedLifetime(texts) {
      library.sendQueryPrepared(
        connection, name, Int32(values.count), texts.pointers, lengths, formats, 0) == 1
    }
    guard isSent else { return false }
    return library.setSingleRowMode(connection) == 1
  }

  /// Returns whether bytes are left to send; nil if the connection has failed.
  func flush() -> Bool? {
    switch library.flush(connection) {
    case 0: false
    case 1: true
    default: nil
    }
  }

  // MARK: Receiving

  /// Reads what has arrived. Returns false if the connection has failed.
  func consumeInput() -> Bool { library.consumeInput(connection) == 1 }

  var isBusy: Bool { library.isBusy(connection) == 1 }

  enum Result {
    case rows([PostgresRow], isLast: Bool)
    case done(changedRows: Int)
    case failed(PostgresError)
    /// The server wants to copy, which this client cannot.
    case copying
  }

  /// Returns the next result of the statements that were sent; nil if there is none left.
  func nextResult() -> Result? {
    guard let result = library.getResult(connection) else { return nil }
    defer { library.clear(result) }
    switch library.resultStatus(result) {
    case LibPQ.resultSingleRow: return .rows(rows(result), isLast: false)
    case LibPQ.resultRows: return .rows(rows(result), isLast: true)
    case LibPQ.resultCommand, LibPQ.resultEmpty:
      let changed = library.changedRows(result).flatMap { Int(String(cString: $0)) } ?? 0
      return .done(changedRows: changed)
    case LibPQ.resultCopyIn, LibPQ.resultCopyOut, LibPQ.resultCopyBoth: return .copying
    default: return .failed(error(result))
    }
  }

  private func error(_ result: OpaquePointer) -> PostgresError {
    guard let state = library.resultErrorField(result, LibPQ.fieldState) else {
      return PostgresError(.connectionLost, "The connection to the database was lost (\(message)).")
    }
    let constraint = library.resultErrorField(result, LibPQ.fieldConstraint).map { String(cString: $0) }
    return .server(
      String(cString: state), Self.line(library.resultErrorField(result, LibPQ.fieldMessage)),
      constraint: constraint)
  }

  private func rows(_ result: OpaquePointer) -> [PostgresRow] {
    let columns = library.columnCount(result)
    return (0..<library.rowCount(result)).map { index in
      var row = PostgresRow()
      for column in 0..<columns {
        guard library.isNull(result, index, column) == 0 else {
          row.append(nil)
          continue
        }
        let count = Int(library.length(result, index, column))
        row.append(UnsafeRawBufferPointer(start: library.value(result, index, column), count: count))
      }
      return row
    }
  }

  /// Returns the notifications that have arrived.
  func takeNotifications() -> [PostgresNotification] {
    var taken: [PostgresNotification] = []
    while let address = library.notifies(connection) {
      let next = address.load(as: LibPQ.Notification.self)
      let channel = next.channel.map { String(cString: $0) } ?? ""
      let payload = next.payload.map { String(cString: $0) } ?? ""
      taken.append(PostgresNotification(channel: channel, payload: payload, process: next.process))
      library.freeMemory(address)
    }
    return taken
  }

  // MARK: Cancelling

  /// Returns what cancels the running statement. It may be used by another thread.
  func makeCancellation() -> PostgresCancellation? {
    library.getCancel(connection).map { PostgresCancellation(library, $0) }
  }

  private static func line(_ text: UnsafePointer<CChar>?) -> String {
    let text = text.map { String(cString: $0) } ?? ""
    // The place in PostgreSQL's source comes with the server's code, and helps nobody here.
    return text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.hasPrefix("LOCATION:  ") }.joined(separator: "; ")
  }
}

/// Cancels a statement over a connection of its own.
///
/// `@unchecked Sendable`: libpq allows any thread to use the pointer, and it does not change.
final class PostgresCancellation: @unchecked Sendable {
  private let library: LibPQ
  private let pointer: OpaquePointer

  fileprivate init(_ library: LibPQ, _ pointer: OpaquePointer) {
    self.library = library
    self.pointer = pointer
  }

  deinit { library.freeCancel(pointer) }

  /// Sends the request and waits until the server has received it. This blocks.
  func send() {
    var buffer = [CChar](repeating: 0, count: 256)
    _ = library.cancel(pointer, &buffer, Int32(buffer.count))
  }
}

/// Texts for a C function, which live as long as this object. A nil stays a null pointer, and another one ends the list.
private final class CTexts {
  private var storage: [UnsafeMutablePointer<CChar>?] = []
  private let list: UnsafeMutablePointer<UnsafePointer<CChar>?>

  var pointers: UnsafePointer<UnsafePointer<CChar>?> { UnsafePointer(list) }

  convenience init(_ texts: [String]) { self.init(texts.map { Array($0.utf8) as [UInt8]? }) }

  init(_ texts: [[UInt8]?]) {
    storage = texts.map { bytes in
      guard let bytes else { return nil }
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
      for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
      copy[bytes.count] = 0
      return copy
    }
    list = .allocate(capacity: texts.count + 1)
    for (index, text) in storage.enumerated() { list[index] = UnsafePointer(text) }
    list[texts.count] = nil
  }

  deinit {
    for text in storage { text?.deallocate() }
    list.deallocate()
  }
}

extension PostgresValue {
  /// The bytes as they are sent; nil for NULL.
  fileprivate var encoded: [UInt8]? {
    switch self {
    case .integer(let number): Array(String(number).utf8)
    case .real(let number): Array("\(number)".utf8)
    case .text(let text): Array(text.utf8)
    case .blob(let bytes): bytes
    case .boolean(let value): [value ? UInt8(ascii: "t") : UInt8(ascii: "f")]
    case .null: nil
    }
  }

  fileprivate var isBinary: Bool { if case .blob = self { true } else { false } }

  /// The number of bytes, which libpq reads for binary values only.
  fileprivate var byteCount: Int32 {
    if case .blob(let bytes) = self { Int32(clamping: bytes.count) } else { 0 }
  }

  /// Whether PostgreSQL can store the value. No text may contain the character NUL, and a value has at most 1 GiB.
  var isValid: Bool {
    switch self {
    case .text(let text): !text.utf8.contains(0) && text.utf8.count < 1 << 30
    case .blob(let bytes): bytes.count < 1 << 30
    case .integer, .real, .boolean, .null: true
    }
  }
}
