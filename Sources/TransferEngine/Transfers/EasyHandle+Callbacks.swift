import CCurl
import CHTTP2Tap

// The functions that libcurl calls. Each gets the handle from its context pointer (unretained: the handle lives as long
// as the pointer) and forwards the call to the transfer. They never throw.

extension EasyHandle {
  /// - Parameter otherwise: The result that ends the transfer. It is also returned if `body` returns nil; then the
  ///   connection is not reused.
  private static func with<Answer>(
    _ context: UnsafeMutableRawPointer?, otherwise: Answer, _ body: (Transfer) -> Answer?
  ) -> Answer {
    guard let context else { return otherwise }
    return Unmanaged<EasyHandle>.fromOpaque(context)._withUnsafeGuaranteedRef { handle in
      guard let transfer = handle.transfer else { return otherwise }
      if let answer = body(transfer) { return answer }
      handle.closesConnection()
      return otherwise
    }
  }

  static let receivedBytes: retriever_data_function = { bytes, size, count, context in
    let length = size * count
    // Any count other than the given one ends the transfer.
    return with(context, otherwise: length == 0 ? 1 : 0) { transfer in
      switch transfer.receive(UnsafeRawBufferPointer(start: bytes, count: length)) {
      case .accepted:
        transfer.libcurlHandedOver(length)
        return length
      case .keep: return Int(CURL_WRITEFUNC_PAUSE)
      case .stop: return nil
      }
    }
  }

  static let receivedHeaderLine: retriever_data_function = { bytes, size, count, context in
    let length = size * count
    return with(context, otherwise: 0) { transfer in
      transfer.receiveHeaderLine(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : nil
    }
  }

  static let readsBody: retriever_data_function = { bytes, size, count, context in
    with(context, otherwise: Int(CURL_READFUNC_ABORT)) { transfer in
      switch transfer.readBody(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) {
      case .bytes(let count): count
      case .end: 0
      case .wait: Int(CURL_READFUNC_PAUSE)
      case .failed: nil
      }
    }
  }

  static let seeksBody: curl_seek_callback = { context, offset, origin in
    with(context, otherwise: CURL_SEEKFUNC_FAIL) { transfer in
      // libcurl only rewinds to the start, and only to send the same request again on another connection.
      offset == 0 && origin == 0 && transfer.rewindBody() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_CANTSEEK
    }
  }

  /// The connection is established and the request follows, for the first time or again.
  static let requestBegins: curl_prereq_callback = { context, address, _, port, localPort in
    let connection = ConnectionEnds(
      localPort: localPort, remoteAddress: address.map { String(cString: $0) } ?? "", remotePort: port)
    return with(context, otherwise: CURL_PREREQFUNC_ABORT) { transfer in
      transfer.requestBegins(over: connection) ? CURL_PREREQFUNC_OK : nil
    }
  }

  /// A TLS connection is about to be created.
  static let connectionBegins: curl_ssl_ctx_callback = { easy, connection, core in
    guard let connection, let core else { return CURLE_SSL_CONNECT_ERROR }
    Unmanaged<ClientCore>.fromOpaque(core).takeUnretainedValue().trust.store?.apply(to: connection)
    guard let easy, let context = Curl.context(easy) else { return CURLE_SSL_CONNECT_ERROR }
    return with(context, otherwise: CURLE_SSL_CONNECT_ERROR) { transfer in
      transfer.prepareTLS(connection) ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
    }
  }

  /// The callbacks for HTTP/2 streams. They are set once, before the first connection.
  static let observesStreams: Bool = {
    var listener = retriever_http2_listener(
      data: streamReceives, keeps: streamKeeps, began: streamBegins, ended: streamEnds, reset: streamResets,
      closed: streamCloses)
    retriever_http2_listen(&listener)
    return true
  }()

  /// Bytes of an HTTP/2 body have arrived and are about to be passed to libcurl.
  static let streamReceives:
    @convention(c) (UnsafeMutableRawPointer?, retriever_http2_stream, UnsafePointer<UInt8>?, Int) -> Int = {
      easy, stream, bytes, count in
      guard let handle = handle(ofStream: easy) else { return count }
      handle.streamBytes += Int64(count)
      handle.transfer?.noteStream()
      let passed = handle.backlog.arrived(UnsafeRawBufferPointer(start: bytes, count: count))
      if passed < count { handle.keeps(stream) }
      return passed
    }

  /// Whether bytes of an HTTP/2 stream are waiting for room.
  static let streamKeeps: @convention(c) (UnsafeMutableRawPointer?) -> Bool = {
    handle(ofStream: $0).map { !$0.backlog.isEmpty } ?? false
  }

  /// The server has begun to answer over an HTTP/2 stream.
  static let streamBegins: @convention(c) (UnsafeMutableRawPointer?) -> Void = {
    handle(ofStream: $0)?.sawResponse = true
  }

  /// The server ended an HTTP/2 stream.
  static let streamEnds: @convention(c) (UnsafeMutableRawPointer?) -> Void = {
    handle(ofStream: $0)?.sawEndOfStream = true
  }

  /// After a complete response, RST_STREAM only asks the client to stop sending the request (RFC 9113, 8.1). libcurl
  /// would discard the part of the body that it has not delivered.
  static let streamResets: @convention(c) (UnsafeMutableRawPointer?, UInt32) -> Bool = { easy, code in
    code != 0 || handle(ofStream: easy)?.sawEndOfStream != true
  }

  /// An HTTP/2 stream was closed, or its connection became unusable.
  static let streamCloses: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt32>?) -> Bool =
    {
      easy, code in
      guard let handle = handle(ofStream: easy), let code else { return true }
      if code.pointee == connectionBroke {
        handle.transfer?.connectionBroke()
        return true
      }
      handle.streamErrorCode = code.pointee
      handle.transfer?.noteStream()
      // Without END_STREAM, NO_ERROR is not a valid end. INTERNAL_ERROR makes libcurl treat it as a failure.
      if code.pointee == 0, !handle.sawEndOfStream { code.pointee = 2 }
      return !handle.backlog.closed(code.pointee)
    }

  /// libcurl passes its handle to nghttp2 to identify a stream. The first word of an easy handle is libcurl's magic
  /// number.
  private static func handle(ofStream easy: UnsafeMutableRawPointer?) -> EasyHandle? {
    guard let easy, easy.load(as: UInt32.self) == easyHandleMark, let context = Curl.context(easy) else {
      return nil
    }
    return Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
  }

  /// retriever_http2_connection_broke: a macro with a cast, which Swift does not import.
  private static let connectionBroke = UInt32.max
  private static let easyHandleMark: UInt32 = 0xc0de_dbad

  static let opensSocket: curl_opensocket_callback = { context, _, address in
    guard let context, let address else { return -1 }
    let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    return handle.core.openSocket(for: address, transfer: handle.transfer)
  }

  static let closesSocket: curl_closesocket_callback = { context, socket in
    guard let context else { return 0 }
    Unmanaged<ClientCore>.fromOpaque(context).takeUnretainedValue().closeSocket(socket)
    return 0
  }
}
