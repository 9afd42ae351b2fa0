import HTTPSyntax
import Foundation

/// One request and its response.
///
/// `@unchecked Sendable`: every `var` belongs to the loop's thread; the handler's task reaches it only by posting
/// commands.
final class Exchange: @unchecked Sendable {
  let loop: ServerLoop
  let rawTarget: String
  private let began = ContinuousClock.now
  // Set when the head is here.
  private(set) var method: HTTPMethod = .get
  private(set) var upload = Exchange.emptyUpload
  private var task: Task<Void, Never>?

  private(set) var machine: ExchangeStateMachine
  private var stream: StreamChannel?
  private var response: OutgoingResponse?
  private var status: HTTPStatus?
  /// Nil once the exchange is over.
  private var connection: ClientConnection?

  private static let emptyUpload = UploadChannel(whole: Data())

  init(loop: ServerLoop, connection: ClientConnection, rawTarget: String) {
    self.loop = loop
    self.connection = connection
    self.rawTarget = rawTarget
    let limits = loop.configuration.limits
    machine = ExchangeStateMachine(
      limits: .init(bodySize: limits.bodySize, unwantedBodySize: limits.unwantedBodySize))
  }

  /// The target without its query, fit for a line of a log: what was refused may hold anything.
  var logPath: String { PercentEncoding.encode(rawTarget.utf8.prefix { $0 != UInt8(ascii: "?") }) }

  // MARK: Calls of the library, on the loop's thread

  /// The request's head is here, for the first time or again, or bytes of its body, or its end.
  ///
  /// - Returns: false when the connection is to be ended.
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
    // A client that is gone already has no use for an answer.
    if connection.peerHasLeft { return false }
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
        guard length <= loop.configuration.limits.bodySize else {
          throw HTTPRefusal.bodyTooLarge
        }
      case .chunked: announced = nil
      }
      let expectsContinue = fields["Expect"] != nil
      if framing.hasBody {
        upload = UploadChannel(highWaterMark: loop.configuration.limits.bufferedBodySize) { [weak self] in
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
      // Whatever follows is not read as a request: where it would begin is not certain.
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
    case .goOn: connection.begin(.receiving)
    case .takeBytes:
      if upload.append(bytes) {
        machine.bodyIsFull()
        suspend(connection)
      }
    case .dropBytes: break
    case .failBody: upload.finish(.failed(.bodyTooLarge(loop.configuration.limits.bodySize)))
    case .respond(let lingers): return respond(connection, lingers: lingers)
    case .cut: return false
    }
    return true
  }

  private func suspend(_ connection: ClientConnection) {
    connection.begin(.working)
    connection.suspend()
  }

  private func respond(_ connection: ClientConnection, lingers: Bool) -> Bool {
    guard let response else { return false }
    self.response = nil
    status = response.status
    if loop.isStopping {
      response.closeConnection()
      if response.endsWhenStopping { stream?.finish(failed: false) }
    }
    if lingers { connection.lingers() }
    connection.begin(.sending)
    endsWhenStopping = response.endsWhenStopping
    bodyCount = method == .head ? 0 : response.bodyCount
    return MicroHTTPD.queue(response, status: response.status, on: connection.handle)
  }

  private var endsWhenStopping = false
  private var bodyCount: Int64? = 0

  /// The library wants bytes of a streamed body.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let stream, let connection else { return MicroHTTPD.endWithError }
    switch stream.pull(into: buffer) {
    case .bytes(let count): return count
    case .finish: return MicroHTTPD.endOfStream
    case .fail: return MicroHTTPD.endWithError
    case .starve:
      machine.streamStarved()
      connection.suspend()
      return 0
    }
  }

  /// The library is done with this exchange.
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
    upload.finish(.failed(HTTPServerError(.bodyIncomplete, "The body ended before it was whole.")))
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
    // The library takes nothing in once it sends: who reads on would wait for ever.
    upload.finish(
      .failed(HTTPServerError(.bodyIncomplete, "The body is to be read before the response begins.")))
    wake(machine.responseGiven())
  }

  /// The client is gone, or must go.
  func abandon() {
    task?.cancel()
    stream?.close()
    upload.finish(.failed(HTTPServerError(.bodyIncomplete, "The client is gone.")))
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

  private func run(_ handler: HTTPServer.Handler, _ request: HTTPRequest) async {
    let response: HTTPResponse
    do {
      response = try await handler(request)
      if let fault = response.fault { throw HTTPServerError(.invalidResponse, fault) }
    } catch {
      return deliver(.plain(answer(to: error, request)))
    }
    guard case .stream(let body) = response.body.content, !response.status.forbidsBody else {
      return deliverPlain(response, request)
    }
    // The library asks for no body, but has to know its framing.
    if request.method == .head {
      let outgoing = OutgoingResponse.streaming(response, body, from: nil, of: self)
      if body.length == nil { outgoing?.announceChunks() }
      return deliver(outgoing)
    }
    let channel = StreamChannel(
      highWaterMark: loop.configuration.limits.bufferedBodySize, length: body.length
    ) { [weak self] in
      if let self { self.loop.post(.streamFilled(self)) }
    }
    deliver(.streaming(response, body, from: channel, of: self))
    do {
      try await body.produce(HTTPBodyWriter(channel: channel))
      channel.finish(failed: false)
    } catch {
      // First: once the response has ended, its task is cancelled like any other.
      report(error, request)
      channel.finish(failed: true)
    }
  }

  private func deliverPlain(_ response: HTTPResponse, _ request: HTTPRequest) {
    if let outgoing = OutgoingResponse.plain(response) { return deliver(outgoing) }
    let error = HTTPServerError(
      .invalidResponse, "There is no memory or no descriptor left for the response.")
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

  /// A handler that ends because its client is gone has not failed.
  private func report(_ error: any Error, _ request: HTTPRequest) {
    guard !Task.isCancelled, let onError = loop.configuration.onError else { return }
    onError(.init(error: error, method: request.method, path: logPath))
  }
}
