import Glibc
import HTTPSyntax

/// What TLS needs to know about the server and the session.
package struct StreamTLSSettings: Sendable {
  /// The name or the address that the certificate must contain.
  package var host: String
  package var trust: TransferClientOptions.Trust
  package var minimumVersion: TransferClientOptions.TLSVersion
  package var maximumVersion: TransferClientOptions.TLSVersion

  /// One of these must be in the server's certificates; nil if the server has no pins.
  package var pins: Set<ServerPin>?
  /// What to present if the server requests a client certificate.
  package var key: ClientKey?

  /// The settings of a session for a server.
  package init(host: String, port: UInt16, options: TransferClientOptions) {
    self.host = host
    let name = ASCII.lowercased(host)
    pins = PinnedServer.pins(for: name, in: options.pinnedServers)
    key = options.clientKey?(name, port)
    trust = options.trust
    minimumVersion = options.minimumTLS
    maximumVersion = options.maximumTLS
  }
}

/// How a step on a connection ended.
enum StreamStep: Equatable {
  case done(Int)
  /// The same step must be tried again when the socket is ready for input or output.
  case waitsForInput
  case waitsForOutput
  /// The server has ended its side.
  case end
  case failed(TransferFailure)
}

/// What the check of a handshake reports and asks: nobody decides. One thread uses it.
private final class StreamHandshake: HandshakeDecider {
  var refusal: TransferFailure?

  func decision(about chain: ServerChain, failure: TransferFailure?) -> ServerDecision? { .standard }
  func keyToPresent(authorities: () -> [[UInt8]]) -> PresentedKey? { .nothing }
  func refused(_ failure: TransferFailure) { refusal = failure }
  func serverSent(alert: UInt8) {}
}

/// A TLS connection over an open socket. One thread uses it.
final class StreamTLS {
  private let functions: OpenSSL.ClientFunctions
  private let context: OpenSSL.Pointer
  private let connection: OpenSSL.Pointer
  private let host: String
  private let handshakeNotes: StreamHandshake

  /// - Parameter store: the trusted certificates; nil to use OpenSSL's own, or none if nothing is verified.
  init(_ settings: StreamTLSSettings, over socket: Int32, store: TrustStore?) throws(TransferFailure) {
    guard let functions = OpenSSL.client else { throw .noStreamTLS }
    switch settings.trust {
    case .system, .anything: break
    // Without the chosen certificates, those of the system must not take their place.
    case .file, .pem: if store == nil { throw .noStreamTLS }
    }
    guard let context = functions.makeContext(functions.method()) else { throw .noTLSMemory }
    handshakeNotes = StreamHandshake()
    guard let connection = Self.makeConnection(context, settings, store, handshakeNotes, functions) else {
      functions.freeContext(context)
      throw .noTLSMemory
    }
    (self.functions, self.context, self.connection) = (functions, context, connection)
    host = settings.host
    guard functions.setSocket(connection, socket) == 1, identify(settings) else { throw .noTLSMemory }
  }

  deinit {
    functions.free(connection)
    functions.freeContext(context)
  }

  private static func makeConnection(
    _ context: OpenSSL.Pointer, _ settings: StreamTLSSettings, _ store: TrustStore?,
    _ notes: StreamHandshake, _ functions: OpenSSL.ClientFunctions
  ) -> OpenSSL.Pointer? {
    // SSL_CTRL_SET_MIN_PROTO_VERSION and SSL_CTRL_SET_MAX_PROTO_VERSION. The versions begin with 0x0301.
    _ = functions.controlContext(context, 123, 0x0301 + settings.minimumVersion.rawValue, nil)
    _ = functions.controlContext(context, 124, 0x0301 + settings.maximumVersion.rawValue, nil)
    // SSL_CTRL_MODE, with SSL_MODE_ENABLE_PARTIAL_WRITE and SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER.
    _ = functions.controlContext(context, 33, 1 | 2, nil)
    if case .anything = settings.trust {
      functions.setVerify(context, 0, nil)
    } else if let store {
      store.apply(to: context)
    } else {
      _ = functions.useSystemPaths(context)
      functions.setVerify(context, 1, nil)
    }
    if settings.pins != nil || settings.key != nil {
      let acceptsAnything = settings.trust == .anything
      if acceptsAnything || store == nil { TrustStore.applyVerification(to: context) }
      let check = HandshakeCheck(
        host: settings.host, pins: settings.pins, asks: false, acceptsAnything: acceptsAnything,
        key: settings.key, decider: notes)
      guard OpenSSL.install(check, in: context, presentsKey: settings.key != nil) else { return nil }
    }
    return functions.make(context)
  }

  /// Sets the name that the server must prove, and names the server in the handshake if it has a name.
  private func identify(_ settings: StreamTLSSettings) -> Bool {
    var name = settings.host
    if name.hasSuffix(".") { name.removeLast() }
    var address = in6_addr()
    let isAddress = inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1
    if isAddress {
      return name.withCString { functions.setAddress(functions.parameters(connection), $0) } == 1
    }
    // X509_CHECK_FLAG_NEVER_CHECK_SUBJECT: the common name does not count.
    functions.setHostFlags(functions.parameters(connection), 0x20)
    return name.withCString { text in
      // SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name.
      functions.control(connection, 55, 0, UnsafeMutableRawPointer(mutating: text)) == 1
        && functions.setHost(connection, text) == 1
    }
  }

  func handshake() -> StreamStep {
    functions.clearErrors()
    let result = functions.connect(connection)
    if result == 1 { return .done(0) }
    let step = step(after: result)
    guard case .failed = step else { return step == .end ? .failed(handshakeFailure(.connectionLost)) : step }
    return .failed(handshakeFailure(nil))
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> StreamStep {
    functions.clearErrors()
    let count = functions.read(connection, buffer.baseAddress, Int32(clamping: buffer.count))
    return count > 0 ? .done(Int(count)) : step(after: count)
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> StreamStep {
    functions.clearErrors()
    let count = functions.write(connection, bytes.baseAddress, Int32(clamping: bytes.count))
    if count > 0 { return .done(Int(count)) }
    let step = step(after: count)
    return step == .end ? .failed(.streamConnectionLost(EPIPE)) : step
  }

  /// Announces that nothing more will be sent.
  func endSending() -> StreamStep {
    functions.clearErrors()
    let result = functions.shutdown(connection)
    return result >= 0 ? .done(0) : step(after: result)
  }

  private func step(after result: Int32) -> StreamStep {
    let code = errno
    switch functions.error(connection, result) {
    case 2: return .waitsForInput  // SSL_ERROR_WANT_READ
    case 3: return .waitsForOutput  // SSL_ERROR_WANT_WRITE
    case 6: return .end  // SSL_ERROR_ZERO_RETURN
    case 5: return .failed(code == 0 ? .streamCutOff : .streamConnectionLost(code))  // SSL_ERROR_SYSCALL
    default:
      let error = functions.nextError()
      // SSL_R_UNEXPECTED_EOF_WHILE_READING: the reason is in the lower bits.
      if error & 0x7f_ffff == 294 { return .failed(.streamCutOff) }
      return .failed(TransferFailure(.secureConnectionFailed, message: "TLS failed: \(text(error))."))
    }
  }

  private func text(_ error: UInt) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    functions.errorText(error, &buffer, buffer.count)
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    // The text is "error:number:library:function:reason".
    return String(decoding: bytes, as: UTF8.self).split(separator: ":").last.map(String.init)
      ?? "unknown error"
  }

  private func handshakeFailure(_ code: TransferFailure.Code?) -> TransferFailure {
    if let refusal = handshakeNotes.refusal { return refusal }
    let result = functions.verifyResult(connection)
    guard result != 0 else {
      return TransferFailure(
        code ?? .secureConnectionFailed, message: "The TLS handshake with \(host) failed.")
    }
    let reason = functions.verifyText(result).map { String(cString: $0) } ?? "unknown reason"
    return TransferFailure(
      TransferFailure.Code(verification: result),
      message: "The certificate of \(host) was rejected: \(reason).")
  }
}

extension TransferFailure {
  static let noStreamTLS = TransferFailure(
    .secureConnectionFailed,
    message: "Stream tasks need OpenSSL for secure connections, but libcurl uses another TLS library.")
  static let noTLSMemory = TransferFailure(.outOfMemory, message: "Could not set up TLS: out of memory.")
  package static let streamCutOff = TransferFailure(
    .connectionLost, message: "The server ended the connection without announcing the end of the data.")
  static func streamConnectionLost(_ code: Int32) -> TransferFailure {
    TransferFailure(.connectionLost, message: "The connection was lost: \(String(cString: strerror(code))).")
  }
}
