import Foundation
import Synchronization
import TestSupport

extension Stage {
  private static let notesOfStubs = Mutex<Notes?>(nil)

  fileprivate static func note(_ line: String) { notesOfStubs.withLock { $0 }?.add(line) }

  private func stubbed(_ classes: [AnyClass] = [Stub.self]) -> URLSession {
    Self.notesOfStubs.withLock { $0 = notes }
    configuration.protocolClasses = classes
    return session()
  }

  private func stub(_ path: String) -> URL { URL(string: "http://stub.test/\(path)") ?? url() }

  private func loadStub(_ path: String) async -> [String] {
    let session = stubbed()
    do {
      let (data, response) = try await session.data(from: stub(path))
      _ = await eventually(within: .seconds(2)) { notes.lines.contains("stop") }
      return notes.lines + describe(response) + [String(decoding: data, as: UTF8.self)]
    } catch {
      return notes.lines + ["\((error as? URLError)?.errorCode ?? 0)"]
    }
  }

  private func describe(_ response: URLResponse?) -> [String] {
    guard let response = response as? HTTPURLResponse else { return ["no response"] }
    return ["status \(response.statusCode)", "kind \(response.value(forHTTPHeaderField: "kind") ?? "none")"]
  }

  func protocolAnswers() async -> [String] { await loadStub("hello") }

  func protocolPieces() async -> [String] { await loadStub("pieces") }

  func protocolText(_ path: String) async -> [String] {
    [await text(stubbed(), URLRequest(url: stub(path)))]
  }

  func protocolRedirects() async -> [String] {
    do {
      let (data, response) = try await stubbed().data(from: stub("from"))
      return [response.url?.absoluteString ?? "none", String(decoding: data, as: UTF8.self)]
    } catch {
      return ["\(error)"]
    }
  }

  func protocolRefuses() async -> [String] {
    let session = stubbed()
    defer { session.invalidateAndCancel() }
    return [await text(session)]
  }

  func protocolOrder() async -> [String] {
    [await text(stubbed([FirstStub.self, Stub.self]), URLRequest(url: stub("hello")))]
  }

  func protocolCancelled() async -> [String] {
    let session = stubbed()
    let (ended, notes) = (Gate(), notes)
    let task = session.dataTask(with: stub("never")) { _, _, error in
      notes.add("\((error as? URLError)?.errorCode ?? 0)")
      ended.open()
    }
    task.resume()
    _ = await eventually(within: .seconds(2)) { notes.lines.contains("start") }
    task.cancel()
    await ended.wait()
    _ = await eventually(within: .seconds(2)) { notes.lines.contains("stop") }
    // The order of the last two is not specified.
    return notes.lines.prefix(1) + notes.lines.dropFirst().sorted(by: >)
  }

  func protocolBody() async -> [String] {
    var request = URLRequest(url: stub("body"))
    request.httpMethod = "POST"
    request.httpBody = Data("photo".utf8)
    return [await text(stubbed(), request)]
  }

  func protocolDownload() async -> [String] {
    let session = stubbed()
    let (ended, notes) = (Gate(), Notes())
    let task = session.downloadTask(with: stub("hello")) { file, _, error in
      let text = file.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
      notes.add("file \(text ?? "missing: \((error as? URLError)?.errorCode ?? 0)")")
      ended.open()
    }
    task.resume()
    await ended.wait()
    return notes.lines
  }

  func protocolProperty() async -> [String] {
    let request = NSMutableURLRequest(url: stub("property"))
    URLProtocol.setProperty("dog", forKey: "property", in: request)
    return [await text(stubbed(), request as URLRequest)]
  }

  func dataAndFiles() async throws -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("file".utf8), to: "dog.txt")
    guard let address = URL(string: "data:text/plain;charset=utf-8,hello") else { return ["no address"] }
    let (data, response) = try await session.data(from: address)
    let contents = try await session.data(from: file).0
    return [
      "\(response.mimeType ?? "none") \(String(decoding: data, as: UTF8.self))",
      String(decoding: contents, as: UTF8.self),
    ]
  }
}

/// Answers everything on the host `stub.test`.
private class Stub: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "stub.test" }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    Stage.note("start")
    switch request.url?.path {
    case "/fails": client?.urlProtocol(self, didFailWithError: URLError(.notConnectedToInternet))
    case "/never": break
    case "/from": redirect()
    case "/pieces":
      let loading = Loading(stub: self)
      let thread = Thread {
        loading.stub.respond()
        for byte in "hello".utf8 { loading.stub.client?.urlProtocol(loading.stub, didLoad: Data([byte])) }
        loading.stub.client?.urlProtocolDidFinishLoading(loading.stub)
      }
      thread.start()
    case "/body": finish("\(request.httpMethod ?? "") \(body)")
    case "/property": finish("property \(URLProtocol.property(forKey: "property", in: request) ?? "none")")
    default: finish("hello")
    }
  }

  override func stopLoading() { Stage.note("stop") }

  fileprivate func respond() {
    guard let url = request.url,
      let response = HTTPURLResponse(
        url: url, statusCode: 201, httpVersion: "HTTP/1.1", headerFields: ["Kind": "stub"])
    else { return }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
  }

  fileprivate func finish(_ text: String) {
    respond()
    client?.urlProtocol(self, didLoad: Data(text.utf8))
    client?.urlProtocolDidFinishLoading(self)
  }

  private func redirect() {
    guard let url = request.url, let target = URL(string: "http://stub.test/to"),
      let response = HTTPURLResponse(
        url: url, statusCode: 302, httpVersion: "HTTP/1.1", headerFields: ["Location": "/to"])
    else { return }
    client?.urlProtocol(self, wasRedirectedTo: URLRequest(url: target), redirectResponse: response)
  }

  /// What the request's body stream contains.
  private var body: String {
    guard let stream = request.httpBodyStream else { return "no stream" }
    stream.open()
    defer { stream.close() }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64)
    while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A protocol that another thread uses.
///
/// `@unchecked Sendable`: after `startLoading`, only that thread calls it.
private struct Loading: @unchecked Sendable {
  let stub: Stub
}

/// Answers with its own name.
private final class FirstStub: Stub {
  override func startLoading() { finish("first") }
}
