import HTTPSyntax
import Foundation

/// One request and its response.
///
/// `@unchecked Sendable`: only the loop's thread uses the variables. The handler's task posts commands to the loop.
final class Exchange: @unchecked Sendable {
  let loop: ServerLoop
  let rawTarget: String
  private let began = ContinuousClock.now
  // Set when the head has arrived.
  private(set) var method: HTTPMethod = .get
  private(set) var upload = Exchange.emptyUpload
  private var task: Task<Void, Never>?

  private(set) var machine: ExchangeStateMachine
  private var stream: StreamChannel?
  private var response: OutgoingResponse?
  private var status: HTTPStatus?
  /// The connection; nil when the exchange is over.
  private var connection: ClientConnection?

  private static let emptyUpload = UploadChannel(complete: Data())

  init(loop: ServerLoop, connection: ClientConnection, rawTarget: String) {
    self.loop = loop
    self.connection = connection
    self.rawTarget = rawTarget
    let limits = loop.configuration.limits
    machine = ExchangeStateMachine(
      limits: .init(
        maximumBodySize: limits.maximumBodySize, maximumDiscardedBodySize: limits.maximumDiscardedBodySize))
  }

  /// The target without its query, percent-encoded for a log line, because a refused target may contain any bytes.
  var logPath: String { PercentEncoding.encode(rawTarget.utf8.prefix { $0 != UInt8(ascii: "?") }) }

  // MARK: Calls of the library, on the loop's thread

  /// Handles a call of the library: with the head (once or again), with bytes of the body, or at the request's end.
  ///
  /// - Returns: False if the connection must be closed.
  func handle(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, bytes: UnsafeRawBufferPointer)
    -> Bool
  {
    let action: ExchangeStateMachine.CallAction
    if machine.stage == .arriving {
      return headArrived(method: .named(method), version: String(cString: version))
    } else if bytes.count > 0 {
      connection?.clock.received(bytes.count)
      action = machine.call(bringing: bytes.count)
    } else {
      let wasReceiving = machine.stage == .receiving
      action = machine.call()
      if wasReceiving, machine.stage == .received || machine.stage == .responding { upload.finish(.complete) }
    }
    return perform(action, bytes: bytes)
  }

  private func headArrived(method: HTTPMethod, version: String) -> Bool {
    guard let connection else { return false }
    self.method = method
    connection.begin(.working)
    // A client that has disconnected needs no response.
    if connection.clientDisconnected { return false }
    let fields = MicroHTTPD.headerFields(connection.handle)
    do throws(HTTPRefusal) {
      let target = try loop.checked(
        method: method, version: version, rawTarget: rawTarget, fields: fields, connection)
      let framing = try RequestFraming(fields)
      let announced: Int64?
      switch framing {
      case .noBody: announced = 0
      case .length(let length):
        announced = length
        guard length <= loop.configuration.limits.maximumBodySize else {
          throw HTTPRefusal.bodyTooLarge
        }
      case .chunked: announced = nil
      }
      let expectsContinue = fields["Expect"] != nil
      if framing.hasBody {
        let highWaterMark = loop.configuration.limits.maximumBufferedBodySize
        upload = UploadChannel(highWaterMark: highWaterMark) { [weak self] in
          if let self { self.loop.post(.bodyWanted(self)) }
        }
      }
      let request = HTTPRequest(
        method: method, target: target, rawTarget: rawTarget, fields: fields,
        remoteAddress: connection.remoteAddress, isSecure: loop.configuration.tls != nil,
        body: HTTPRequestBody(channel: upload, announcedLength: announced))
      let action = machine.headArrived(framing: framing, expectsContinue: expectsContinue, isRefused: false)
      task = Task { [handler = loop.handler] in await self.run(handler, request) }
      return perform(action, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
    } catch {
      response = .plain(loop.configuration.response(to: error))
      response?.closeConnection()
      // The following bytes are not read as a request, because its start would be uncertain.
      let framing =
        fields["Transfer-Encoding"] ?? fields["Content-Length"] == nil ? RequestFraming.noBody : .chunked
      let action = machine.headArrived(framing: framing, expectsContinue: false, isRefused: true)
      return perform(action, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  private func perform(_ action: ExchangeStateMachine.CallAction, bytes: UnsafeRawBufferPointer) -> Bool {
    guard let connection else { return false }
    switch action {
    case .startHandler(let suspends): if suspends { suspend(connection) }
    case .suspend: suspend(connection)
    case .continueReceiving: connection.begin(.receiving)
    case .takeBytes:
      if upload.append(bytes) {
        machine.bodyIsFull()
        suspend(connection)
      }
    case .dropBytes: break
    case .failBody: upload.finish(.failed(.bodyTooLarge(loop.configuration.limits.maximumBodySize)))
    case .respond(let discardsBody): return respond(connection, discardsBody: discardsBody)
    case .cut: return false
    }
    return true
  }

  private func suspend(_ connection: ClientConnection) {
    connection.begin(.working)
    connection.suspend()
  }

  private func respond(_ connection: ClientConnection, discardsBody: Bool) -> Bool {
    guard let response else { return false }
    self.response = nil
    status = response.status
    // The client's next connection gets the new certificate.
    if loop.isStopping || connection.daemon.isRetired { response.closeConnection() }
    if loop.isStopping {
      if response.endsWhenStopping { stream?.finish(failed: false) }
    }
    if discardsBody { connection.keepSocketOpen() }
    connection.begin(.sending)
    endsWhenStopping = response.endsWhenStopping
    bodyCount = method == .head ? 0 : response.bodyCount
    return MicroHTTPD.queue(response, status: response.status, on: connection.handle)
  }

  private var endsWhenStopping = false
  private var bodyCount: Int64? = 0

  /// Copies bytes of a streamed body into the library's buffer.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let stream, let connection else { return MicroHTTPD.endWithError }
    switch stream.pull(into: buffer) {
    case .bytes(let count): return count
    case .finish: return MicroHTTPD.endOfStream
    case .fail: return MicroHTTPD.endWithError
    case .waitForData:
      machine.streamIsEmpty()
      connection.suspend()
      return 0
    }
  }

  /// Ends the exchange when the library has finished with it.
  func completed(isComplete: Bool) {
    guard connection != nil else { return }
    let sent = bodyCount ?? stream?.sentCount ?? 0
    loop.log(
      .init(
        method: method, path: logPath, status: status, bodyBytes: sent, duration: .now - began,
        remoteAddress: connection?.remoteAddress ?? "", isComplete: isComplete))
    connection = nil
    machine.completed()
    task?.cancel()
    task = nil
    response = nil
    stream?.close()
    upload.finish(.failed(HTTPServerError(.bodyIncomplete, "The request body ended too early.")))
  }

  // MARK: Commands, on the loop's thread

  func bodyWanted() { wake(machine.bodyWanted()) }
  func streamFilled() { wake(machine.streamFilled()) }

  func responseGiven(_ response: OutgoingResponse) {
    guard machine.stage != .over else {
      response.stream?.close()
      return
    }
    self.response = response
    stream = response.stream
    // The library receives nothing while it sends, so a reader would wait forever.
    upload.finish(
      .failed(HTTPServerError(.bodyIncomplete, "The body must be read before the response starts.")))
    wake(machine.responseGiven())
  }

  /// Gives up the exchange, because the client has disconnected or must be disconnected.
  func abandon() {
    task?.cancel()
    stream?.close()
    upload.finish(.failed(HTTPServerError(.bodyIncomplete, "The connection to the client is closed.")))
    wake(machine.abandon())
  }

  func serverStops() {
    guard endsWhenStopping else { return }
    stream?.finish(failed: false)
    task?.cancel()
  }

  private func wake(_ wake: ExchangeStateMachine.Wake) {
    guard wake == .resume, let connection else { return }
    connection.begin(
      machine.stage == .responding ? .sending : machine.stage == .receiving ? .receiving : .working)
    connection.resume()
  }

  // MARK: The handler's task

  private func run(_ handler: ServerLoop.Handler, _ request: HTTPRequest) async {
    let response: HTTPResponse
    do {
      response = try await handler(request)
      if let reason = response.validationError { throw HTTPServerError(.invalidResponse, reason) }
    } catch {
      return deliver(.plain(answer(to: error, request)))
    }
    guard case .stream(let body) = response.body.content, !response.status.forbidsBody else {
      return deliverPlain(response, request)
    }
    // The library does not need the body, but it needs the framing.
    if request.method == .head {
      let outgoing = OutgoingResponse.streaming(response, body, from: nil, of: self)
      if body.length == nil { outgoing?.announceChunks() }
      return deliver(outgoing)
    }
    let channel = StreamChannel(
      highWaterMark: loop.configuration.limits.maximumBufferedBodySize, length: body.length
    ) { [weak self] in
      if let self { self.loop.post(.streamFilled(self)) }
    }
    deliver(.streaming(response, body, from: channel, of: self))
    do {
      try await body.produce(HTTPBodyWriter(channel: channel))
      channel.finish(failed: false)
    } catch {
      // Report first: when the response has ended, this task is cancelled.
      report(error, request)
      channel.finish(failed: true)
    }
  }

  private func deliverPlain(_ response: HTTPResponse, _ request: HTTPRequest) {
    if let outgoing = OutgoingResponse.plain(response) { return deliver(outgoing) }
    let error = HTTPServerError(
      .invalidResponse, "The response cannot be created: memory or file descriptors are exhausted.")
    deliver(.plain(answer(to: error, request)))
  }

  private func deliver(_ response: OutgoingResponse?) {
    if let response { loop.post(.respond(self, response)) } else { loop.post(.abandon(self)) }
  }

  private func answer(to error: any Error, _ request: HTTPRequest) -> HTTPResponse {
    switch (error as? HTTPServerError)?.code {
    case .bodyTooLarge?: return loop.configuration.response(to: .bodyTooLarge)
    case .bodyIncomplete?: return loop.configuration.response(to: .bodyIncomplete)
    default:
      report(error, request)
      return loop.configuration.response(to: .failed)
    }
  }

  /// Reports an error of the handler, unless the handler was cancelled because its client disconnected.
  private func report(_ error: any Error, _ request: HTTPRequest) {
    guard !Task.isCancelled, let onError = loop.configuration.onError else { return }
    onError(.init(error: error, method: request.method, path: logPath))
  }
}
