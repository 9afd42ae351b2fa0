import HTTPSyntax
import CMicroHTTPD
import Foundation
import Glibc

/// The wrapper for libmicrohttpd. All calls to the library are in this file.
///
/// Only one thread, the server's loop, uses a daemon and its connections.
enum MicroHTTPD {
  typealias Daemon = OpaquePointer
  typealias Connection = OpaquePointer

  static let endOfStream = Int(-1)
  static let endWithError = Int(-2)

  /// "Returns: #MHD_YES on success, #MHD_NO if this daemon was not started with the right options."
  static func run(_ daemon: Daemon) { MHD_run(daemon) }

  /// Returns whether the daemon has work that no descriptor announces.
  static func hasPendingWork(_ daemon: Daemon) -> Bool {
    var milliseconds: UInt64 = 0
    return MHD_get_timeout(daemon, &milliseconds) == .YES && milliseconds == 0
  }

  static func epollDescriptor(_ daemon: Daemon) -> Int32 { cmhd_epoll_descriptor(daemon) }

  /// Stops accepting connections, and closes the daemon's listening descriptor.
  static func stopListening(_ daemon: Daemon) {
    let descriptor = MHD_quiesce_daemon(daemon)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Stops the daemon. No connection may be suspended.
  static func stop(_ daemon: Daemon) { MHD_stop_daemon(daemon) }

  static func suspend(_ connection: Connection) { MHD_suspend_connection(connection) }
  static func resume(_ connection: Connection) { MHD_resume_connection(connection) }

  static func socket(_ connection: Connection) -> Int32 { cmhd_socket(connection) }
  static func headerSize(_ connection: Connection) -> Int { cmhd_header_size(connection) }

  /// Returns the client's numeric address.
  static func remoteAddress(_ connection: Connection) -> String {
    guard let address = cmhd_client_address(connection) else { return "unknown" }
    let length: Int
    switch Int32(address.pointee.sa_family) {
    case AF_INET: length = MemoryLayout<sockaddr_in>.size
    case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
    case AF_UNIX: return "unix"
    default: return "unknown"
    }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { host in
      let code = getnameinfo(
        address, socklen_t(length), host.baseAddress, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
      guard code == 0, let base = host.baseAddress else { return "unknown" }
      let text = String(cString: base)
      // An IPv4 client of a dual-stack socket.
      return text.hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text
    }
  }

  /// Returns the header fields of the request, in order.
  static func headerFields(_ connection: Connection) -> HTTPFields {
    var fields = HTTPFields()
    fields.reserveCapacity(8)
    withUnsafeMutablePointer(to: &fields) { fields in
      _ = MHD_get_connection_values_n(
        connection, .HEADER_KIND,
        { context, _, name, nameLength, value, valueLength in
          guard let fields = context?.assumingMemoryBound(to: HTTPFields.self), let name else {
            return .YES
          }
          fields.pointee.append(
            MicroHTTPD.text(name, nameLength), MicroHTTPD.text(value, MicroHTTPD.trimmed(value, valueLength)))
          return .YES
        }, fields)
    }
    return fields
  }

  /// Returns the length of a field value without trailing whitespace, which the library keeps (RFC 9110, 5.5).
  private static func trimmed(_ start: UnsafePointer<CChar>?, _ count: Int) -> Int {
    guard let start else { return 0 }
    var count = count
    while count > 0, start[count - 1] == 32 || start[count - 1] == 9 { count -= 1 }
    return count
  }

  private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
  }

  /// Queues a response on a connection. Call this only within the connection's callback.
  static func queue(_ response: OutgoingResponse, status: HTTPStatus, on connection: Connection) -> Bool {
    MHD_queue_response(connection, UInt32(clamping: status.rawValue), response.handle) == .YES
  }

  static func sendingProgress(_ descriptor: Int32) -> ConnectionClock.Progress? {
    var progress = cmhd_sending_progress()
    guard cmhd_sending_progress(descriptor, &progress) else { return nil }
    return ConnectionClock.Progress(acknowledged: progress.acknowledged, isPending: progress.is_pending)
  }
}

/// A response of libmicrohttpd, which is released on deinitialization.
///
/// `@unchecked Sendable`: the creator does not use it after handing it over, and the library counts the references to
/// the handle.
final class OutgoingResponse: @unchecked Sendable {
  fileprivate let handle: OpaquePointer
  let status: HTTPStatus
  /// The size of the body in bytes; nil for a stream, which counts its bytes itself.
  let bodyCount: Int64?
  /// Whether a stopping server ends the response.
  let endsWhenStopping: Bool
  /// The source of a streamed body; nil for HEAD.
  let stream: StreamChannel?

  private init(
    _ handle: OpaquePointer, _ response: HTTPResponse, bodyCount: Int64?, endsWhenStopping: Bool = false,
    stream: StreamChannel? = nil
  ) {
    self.handle = handle
    self.status = response.status
    self.bodyCount = bodyCount
    self.endsWhenStopping = endsWhenStopping
    self.stream = stream
    for field in response.fields where !Self.isSetByLibrary(field.name) {
      MHD_add_response_header(handle, field.name, field.value)
    }
  }

  deinit { MHD_destroy_response(handle) }

  /// Returns whether the library writes the field itself.
  private static func isSetByLibrary(_ name: String) -> Bool {
    ["Content-Length", "Transfer-Encoding", "Date"].contains { ASCII.equalIgnoringCase($0, name) }
  }

  /// Closes the connection after this response.
  func closeConnection() { MHD_add_response_header(handle, "Connection", "close") }

  /// Announces chunks in a response to HEAD. For a body of unknown length, the library would send a length of 0.
  func announceChunks() { MHD_add_response_header(handle, "Transfer-Encoding", "chunked") }

  /// Creates a response without a stream. Returns nil if memory or descriptors are exhausted.
  static func plain(_ response: HTTPResponse) -> OutgoingResponse? {
    if response.status == .notModified, let length = response.unmodifiedLength {
      // RFC 9110, 8.6: Content-Length is the length of the body that a 200 response would have.
      return MHD_create_response_from_callback(
        UInt64(clamping: length), 1024, { _, _, _, _ in MicroHTTPD.endWithError }, nil, nil
      ).map { OutgoingResponse($0, response, bodyCount: 0) }
    }
    switch response.body.content {
    case .bytes(let data):
      let data = response.status.forbidsBody ? Data() : data
      let handle = data.withUnsafeBytes { bytes in
        // "MHD_RESPMEM_MUST_COPY": the library does not write to the buffer.
        MHD_create_response_from_buffer(
          bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
      }
      return handle.map { OutgoingResponse($0, response, bodyCount: Int64(data.count)) }
    case .file(let file) where file.length > 0 && !response.status.forbidsBody:
      guard let descriptor = file.duplicateDescriptor() else { return nil }
      // "fd will be closed when response is destroyed".
      guard
        let handle = MHD_create_response_from_fd_at_offset64(
          UInt64(file.length), descriptor, UInt64(file.offset))
      else {
        close(descriptor)
        return nil
      }
      return OutgoingResponse(handle, response, bodyCount: file.length)
    case .file, .stream:
      return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        .map { OutgoingResponse($0, response, bodyCount: 0) }
    }
  }

  /// Creates a response with a streamed body.
  ///
  /// The library holds one reference to the exchange. It is retained here and released by the free callback.
  static func streaming(
    _ response: HTTPResponse, _ body: StreamBody, from stream: StreamChannel?, of exchange: Exchange
  ) -> OutgoingResponse? {
    let context = Unmanaged.passRetained(exchange)
    let length = body.length.map(UInt64.init) ?? cmhd_size_unknown
    let handle = MHD_create_response_from_callback(
      length, 32 * 1024,
      { context, _, buffer, count in
        guard let context, let buffer else { return MicroHTTPD.endWithError }
        return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
          .fill(UnsafeMutableRawBufferPointer(start: buffer, count: count))
      }, context.toOpaque(),
      { context in if let context { Unmanaged<Exchange>.fromOpaque(context).release() } })
    guard let handle else {
      context.release()
      return nil
    }
    return OutgoingResponse(
      handle, response, bodyCount: nil, endsWhenStopping: body.endsWhenStopping, stream: stream)
  }
}
