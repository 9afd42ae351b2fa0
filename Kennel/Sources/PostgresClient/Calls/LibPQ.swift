// All calls into libpq are in this folder.

import Glibc

/// libpq, which is loaded when it is first needed, so that a program runs without it. These are the declarations of its
/// stable interface (libpq.so.5), so that building needs no header.
struct LibPQ: Sendable {
  typealias Text = UnsafePointer<CChar>
  typealias Texts = UnsafePointer<UnsafePointer<CChar>?>
  typealias NoticeProcessor = @convention(c) (UnsafeMutableRawPointer?, Text?) -> Void

  let connectStartParams: @Sendable @convention(c) (Texts?, Texts?, Int32) -> OpaquePointer?
  let connectPoll: @Sendable @convention(c) (OpaquePointer) -> Int32
  let status: @Sendable @convention(c) (OpaquePointer) -> Int32
  let transactionStatus: @Sendable @convention(c) (OpaquePointer) -> Int32
  let socket: @Sendable @convention(c) (OpaquePointer) -> Int32
  let errorMessage: @Sendable @convention(c) (OpaquePointer) -> Text?
  let host: @Sendable @convention(c) (OpaquePointer) -> Text?
  let database: @Sendable @convention(c) (OpaquePointer) -> Text?
  let finish: @Sendable @convention(c) (OpaquePointer) -> Void
  let setNonBlocking: @Sendable @convention(c) (OpaquePointer, Int32) -> Int32
  let setNoticeProcessor:
    @Sendable @convention(c) (OpaquePointer, NoticeProcessor?, UnsafeMutableRawPointer?) -> UnsafeRawPointer?
  let setErrorVerbosity: @Sendable @convention(c) (OpaquePointer, Int32) -> Int32
  let sendQuery: @Sendable @convention(c) (OpaquePointer, Text) -> Int32
  let sendPrepare:
    @Sendable @convention(c) (OpaquePointer, Text, Text, Int32, UnsafePointer<UInt32>?) -> Int32
  let sendQueryPrepared:
    @Sendable @convention(c) (
      OpaquePointer, Text, Int32, Texts?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
    ) -> Int32
  let setSingleRowMode: @Sendable @convention(c) (OpaquePointer) -> Int32
  let flush: @Sendable @convention(c) (OpaquePointer) -> Int32
  let consumeInput: @Sendable @convention(c) (OpaquePointer) -> Int32
  let isBusy: @Sendable @convention(c) (OpaquePointer) -> Int32
  let getResult: @Sendable @convention(c) (OpaquePointer) -> OpaquePointer?
  let notifies: @Sendable @convention(c) (OpaquePointer) -> UnsafeMutableRawPointer?
  let freeMemory: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void
  let resultStatus: @Sendable @convention(c) (OpaquePointer) -> Int32
  let resultErrorField: @Sendable @convention(c) (OpaquePointer, Int32) -> Text?
  let rowCount: @Sendable @convention(c) (OpaquePointer) -> Int32
  let columnCount: @Sendable @convention(c) (OpaquePointer) -> Int32
  let value: @Sendable @convention(c) (OpaquePointer, Int32, Int32) -> UnsafeRawPointer?
  let length: @Sendable @convention(c) (OpaquePointer, Int32, Int32) -> Int32
  let isNull: @Sendable @convention(c) (OpaquePointer, Int32, Int32) -> Int32
  let changedRows: @Sendable @convention(c) (OpaquePointer) -> Text?
  let clear: @Sendable @convention(c) (OpaquePointer) -> Void
  let getCancel: @Sendable @convention(c) (OpaquePointer) -> OpaquePointer?
  let cancel: @Sendable @convention(c) (OpaquePointer, UnsafeMutablePointer<CChar>, Int32) -> Int32
  let freeCancel: @Sendable @convention(c) (OpaquePointer) -> Void
  let parseConnection: @Sendable @convention(c) (Text, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  let freeOptions: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void

  /// `PGnotify`.
  struct Notification {
    var channel: UnsafePointer<CChar>?
    var process: Int32
    var payload: UnsafePointer<CChar>?
    var next: OpaquePointer?
  }

  /// `PQconninfoOption`.
  struct Option {
    var keyword: UnsafePointer<CChar>?
    var environmentVariable: UnsafePointer<CChar>?
    var compiled: UnsafePointer<CChar>?
    var value: UnsafePointer<CChar>?
    var label: UnsafePointer<CChar>?
    var display: UnsafePointer<CChar>?
    var size: Int32
  }

  // The values of libpq's enumerations.
  static let errorsWithCode: Int32 = 2
  static let connectionOK: Int32 = 0
  static let connectionBad: Int32 = 1
  static let pollingFailed: Int32 = 0
  static let pollingReading: Int32 = 1
  static let pollingWriting: Int32 = 2
  static let pollingOK: Int32 = 3
  static let resultEmpty: Int32 = 0
  static let resultCommand: Int32 = 1
  static let resultRows: Int32 = 2
  static let resultCopyOut: Int32 = 3
  static let resultCopyIn: Int32 = 4
  static let resultBad: Int32 = 5
  static let resultFatal: Int32 = 7
  static let resultCopyBoth: Int32 = 8
  static let resultSingleRow: Int32 = 9
  static let fieldState = Int32(UInt8(ascii: "C"))
  static let fieldMessage = Int32(UInt8(ascii: "M"))
  static let fieldConstraint = Int32(UInt8(ascii: "n"))

  /// Returns the library.
  ///
  /// - Throws: `libraryMissing`.
  static func shared() throws(PostgresError) -> LibPQ {
    guard let library = loaded else {
      throw PostgresError(
        .libraryMissing,
        "PostgreSQL's client library libpq is not installed. Install it, for example with apt install libpq5."
      )
    }
    return library
  }

  private static let loaded = try? LibPQ("libpq.so.5")

  private struct Missing: Error {}

  /// Loads a library, which stays loaded.
  init(_ name: String) throws {
    guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { throw Missing() }
    // The type of a function is that of the property it is stored in.
    func find<Function>(_ name: String) throws -> Function {
      guard let address = dlsym(library, name) else { throw Missing() }
      return unsafeBitCast(address, to: Function.self)
    }
    connectStartParams = try find("PQconnectStartParams")
    connectPoll = try find("PQconnectPoll")
    status = try find("PQstatus")
    transactionStatus = try find("PQtransactionStatus")
    socket = try find("PQsocket")
    errorMessage = try find("PQerrorMessage")
    host = try find("PQhost")
    database = try find("PQdb")
    finish = try find("PQfinish")
    setNonBlocking = try find("PQsetnonblocking")
    setNoticeProcessor = try find("PQsetNoticeProcessor")
    setErrorVerbosity = try find("PQsetErrorVerbosity")
    sendQuery = try find("PQsendQuery")
    sendPrepare = try find("PQsendPrepare")
    sendQueryPrepared = try find("PQsendQueryPrepared")
    setSingleRowMode = try find("PQsetSingleRowMode")
    flush = try find("PQflush")
    consumeInput = try find("PQconsumeInput")
    isBusy = try find("PQisBusy")
    getResult = try find("PQgetResult")
    notifies = try find("PQnotifies")
    freeMemory = try find("PQfreemem")
    resultStatus = try find("PQresultStatus")
    resultErrorField = try find("PQresultErrorField")
    rowCount = try find("PQntuples")
    columnCount = try find("PQnfields")
    value = try find("PQgetvalue")
    length = try find("PQgetlength")
    isNull = try find("PQgetisnull")
    changedRows = try find("PQcmdTuples")
    clear = try find("PQclear")
    getCancel = try find("PQgetCancel")
    cancel = try find("PQcancel")
    freeCancel = try find("PQfreeCancel")
    parseConnection = try find("PQconninfoParse")
    freeOptions = try find("PQconninfoFree")
  }
}
