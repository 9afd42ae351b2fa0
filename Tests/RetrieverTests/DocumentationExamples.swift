#if !canImport(Darwin)

import Foundation
import Retriever

// The documentation's examples, copied exactly so that the compiler checks them. `DocumentationTests` compares
// the two and runs this code.

struct DocumentationExamples {
  // MARK: Getting started

  enum PhotoError: Error { case badStatus }

  func fetchPhoto(url: URL) async throws -> Data {
    let (data, response) = try await URLSession.shared.data(from: url)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      throw PhotoError.badStatus
    }
    return data
  }

  struct Dog: Codable {
    var name: String
    var age: Int
  }

  func fetchDogs(url: URL) async throws -> [Dog] {
    let (data, _) = try await URLSession.shared.data(from: url)
    return try JSONDecoder().decode([Dog].self, from: data)
  }

  func add(_ dog: Dog, to url: URL) async throws {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONEncoder().encode(dog)
    let (_, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 201 else {
      throw PhotoError.badStatus
    }
  }

  func upload(_ file: URL, to url: URL) async throws {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("image/jpeg", forHTTPHeaderField: "Content-Type")
    let (_, response) = try await URLSession.shared.upload(for: request, fromFile: file)
    guard (response as? HTTPURLResponse)?.statusCode == 201 else {
      throw PhotoError.badStatus
    }
  }

  func download(_ url: URL, to place: URL) async throws {
    let (location, response) = try await URLSession.shared.download(from: url)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      try FileManager.default.removeItem(at: location)
      throw PhotoError.badStatus
    }
    try FileManager.default.moveItem(at: location, to: place)
  }

  struct Favourite: Codable, Sendable {
    var photo: String
    var count: Int
  }

  @MainActor func followFavourites(url: URL, show: (Favourite) -> Void) async throws {
    let (bytes, _) = try await URLSession.shared.bytes(from: url)
    for try await line in bytes.lines {
      show(try JSONDecoder().decode(Favourite.self, from: Data(line.utf8)))
    }
  }

  final class SignIn: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      let space = challenge.protectionSpace
      guard space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else {
        return (.performDefaultHandling, nil)
      }
      // The server refused the password, so sending it again cannot help.
      guard challenge.previousFailureCount == 0 else {
        return (.cancelAuthenticationChallenge, nil)
      }
      let credential = URLCredential(user: "dog", password: "biscuit", persistence: .forSession)
      return (.useCredential, credential)
    }
  }

  func fetchPrivatePhoto(url: URL) async throws -> Data {
    let (data, _) = try await URLSession.shared.data(from: url, delegate: SignIn())
    return data
  }

  func cancelTwoLoads(first: URL, second: URL) async {
    let task = Task {
      let (one, _) = try await URLSession.shared.data(from: first)
      let (two, _) = try await URLSession.shared.data(from: second)
      return one + two
    }
    task.cancel()
    do {
      _ = try await task.value
    } catch {
      // `URLError.cancelled`; the second load was never sent.
    }
  }

  func fetchWithTimeout(url: URL) async throws -> Data? {
    let configuration = URLSessionConfiguration.default
    configuration.timeoutIntervalForRequest = 5  // seconds without a byte
    configuration.timeoutIntervalForResource = 60  // seconds in total
    configuration.httpAdditionalHeaders = ["Accept": "image/jpeg"]
    let session = URLSession(configuration: configuration)
    do {
      return try await session.data(from: url).0
    } catch let error as URLError where error.code == .timedOut {
      return nil
    }
  }

  func fetchSize(url: URL, completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
    let task = URLSession.shared.dataTask(with: url) { data, response, error in
      if let error {
        completion(.failure(error))
      } else if let data, (response as? HTTPURLResponse)?.statusCode == 200 {
        completion(.success(data.count))
      } else {
        completion(.failure(PhotoError.badStatus))
      }
    }
    task.resume()
  }

  final class Stopwatch: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      for transaction in metrics.transactionMetrics {
        guard let start = transaction.fetchStartDate,
          let firstByte = transaction.responseStartDate
        else { continue }
        print("first byte after \(firstByte.timeIntervalSince(start)) s")
      }
    }
  }

  // MARK: Beyond Apple

  func copy(_ url: URL, to file: FileHandle) async throws {
    let (bytes, _) = try await URLSession.shared.bytes(from: url)
    for try await chunk in bytes.chunks {
      try file.write(contentsOf: chunk)
    }
  }

  func makeFastSession() -> URLSession {
    let configuration = URLSessionConfiguration.default
    configuration.transport = .own
    return URLSession(configuration: configuration)
  }

  func countParagraphs(url: URL) async throws -> Int {
    let (bytes, _) = try await URLSession.shared.bytes(from: url)
    var paragraphs = 0
    var isInParagraph = false
    for try await line in bytes.lines(omittingEmptyLines: false, maximumLength: 1 << 20) {
      if !line.isEmpty, !isInParagraph { paragraphs += 1 }
      isInParagraph = !line.isEmpty
    }
    return paragraphs
  }

  func followEvents(url: URL, handle: (ServerSentEvent) async -> Void) async throws {
    var lastID = ""
    var pause = Duration.seconds(3)
    while !Task.isCancelled {
      var request = URLRequest(url: url)
      request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
      if !lastID.isEmpty { request.setValue(lastID, forHTTPHeaderField: "Last-Event-ID") }
      let (bytes, response) = try await URLSession.shared.bytes(for: request)
      // With 204, the server asks the client to stop reconnecting.
      guard (response as? HTTPURLResponse)?.statusCode == 200 else { return }
      for try await event in bytes.serverSentEvents {
        lastID = event.id
        pause = event.retry ?? pause
        await handle(event)
      }
      try await Task.sleep(for: pause)
    }
  }

  func total(url: URL) async throws -> Int {
    let (bytes, _) = try await URLSession.shared.bytes(from: url)
    var total = 0
    for try await favourite in bytes.jsonLines(of: Favourite.self) {
      total += favourite.count
    }
    return total
  }

  func makePreviewSession() throws -> URLSession {
    var policy = AddressPolicy.publicOnly
    try policy.allow("10.20.0.0/16")  // our own image servers
    try policy.deny("*.internal.example")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.addressPolicy = policy
    configuration.maximumBufferedBodySize = 8 << 20
    return URLSession(configuration: configuration)
  }

  func record(_ url: URL, to file: URL) async throws {
    let session = URLSession(configuration: .default)
    session.archive.isRecording = true
    _ = try await session.data(from: url)
    try session.archive.write(to: file)
  }

  func makeInternalSession(certificates: URL) -> URLSession {
    let configuration = URLSessionConfiguration.default
    configuration.trustedCertificates = .file(certificates)
    return URLSession(configuration: configuration)
  }

  func prepareServer() {
    URLSessionConfiguration.keepsSharedStorages = false
  }

  func makeCachingSession(directory: URL) -> URLSession {
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = URLCache(
      memoryCapacity: 16 << 20, diskCapacity: 256 << 20, directory: directory)
    return URLSession(configuration: configuration)
  }

  func loadOffline(_ url: URL) async throws -> Data? {
    let request = URLRequest(url: url, cachePolicy: .returnCacheDataDontLoad)
    do {
      return try await URLSession.shared.data(for: request).0
    } catch let error as URLError where error.code == .resourceUnavailable {
      return nil
    }
  }

  func askLocalService(socketPath: String, url: URL) async throws -> Data {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.unixSocketPath = socketPath
    let session = URLSession(configuration: configuration)
    defer { session.finishTasksAndInvalidate() }
    return try await session.data(from: url).0
  }

  func sizes(of pages: [URL]) async throws -> [Int] {
    try await withTaskExecutorPreference(TransferExecutor.shared) {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for page in pages {
          group.addTask { try await URLSession.shared.data(from: page).0.count }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
  }

  // MARK: WebSocket

  func shout(_ words: [String], at url: URL) async throws -> [String] {
    let task = URLSession.shared.webSocketTask(with: url)
    task.resume()
    var answers: [String] = []
    for word in words {
      try await task.send(.string(word))
      if case .string(let answer) = try await task.receive() { answers.append(answer) }
    }
    task.cancel(with: .normalClosure, reason: nil)
    return answers
  }

  func follow(_ url: URL, onText: (String) -> Void) async throws {
    let task = URLSession.shared.webSocketTask(with: url, protocols: ["dogs.v1"])
    task.resume()
    for try await message in task.messages {
      switch message {
      case .string(let text): onText(text)
      case .data: task.cancel(with: .unsupportedData, reason: nil)
      }
    }
  }

  // MARK: Trust and pinning

  func makePinnedSession() -> URLSession? {
    guard let current = ServerPin("sha256/r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="),
      let backup = ServerPin("sha256/YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg=")
    else { return nil }
    let configuration = URLSessionConfiguration.default
    configuration.pinnedHosts = [
      PinnedHost("example.com", includesSubdomains: true, pins: [current, backup])
    ]
    return URLSession(configuration: configuration)
  }

  final class DeviceTrust: NSObject, URLSessionDelegate {
    let certificate: ServerTrust.Certificate

    init(certificate: ServerTrust.Certificate) {
      self.certificate = certificate
    }

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      guard let trust = challenge.protectionSpace.serverTrust else {
        return (.performDefaultHandling, nil)
      }
      guard trust.isTrusted(by: [certificate]) else {
        return (.performDefaultHandling, nil)
      }
      return (.useCredential, URLCredential(trust: trust))
    }
  }

  func makeIdentifiedSession(file: URL, password: String) throws -> URLSession {
    let identity = try ClientIdentity(pkcs12: Data(contentsOf: file), password: password)
    let configuration = URLSessionConfiguration.default
    configuration.clientIdentities = ["internal.example.com": identity]
    return URLSession(configuration: configuration)
  }

  func isAlive(_ task: URLSessionWebSocketTask) async -> Bool {
    do {
      try await task.sendPing()
      return true
    } catch {
      return false
    }
  }

  // MARK: Uploads that resume

  func uploadPatiently(_ file: URL, with request: URLRequest) async throws -> Data {
    var resumeData: Data?
    var attempt = 1
    while true {
      do {
        if let resumeData {
          return try await URLSession.shared.upload(resumeFrom: resumeData).0
        }
        return try await URLSession.shared.upload(for: request, fromFile: file).0
      } catch let error as URLError {
        guard let data = error.uploadTaskResumeData, attempt < 5 else { throw error }
        resumeData = data
        try await Task.sleep(for: .seconds(attempt))
        attempt += 1
      }
    }
  }

  // MARK: Stream tasks

  func ask(_ question: String, host: String, port: Int) async throws -> String {
    let task = URLSession.shared.streamTask(withHostName: host, port: port)
    task.resume()
    try await task.write(Data((question + "\r\n").utf8), timeout: 10)
    task.closeWrite()
    var answer = Data()
    var isAtEnd = false
    while !isAtEnd {
      let (data, atEnd) = try await task.readData(ofMinLength: 1, maxLength: 4096, timeout: 10)
      answer += data ?? Data()
      isAtEnd = atEnd
    }
    return String(decoding: answer, as: UTF8.self)
  }

  func secure(_ task: URLSessionStreamTask, command: String) async throws -> Bool {
    try await task.write(Data((command + "\r\n").utf8), timeout: 10)
    let (data, _) = try await task.readData(ofMinLength: 3, maxLength: 512, timeout: 10)
    guard data?.starts(with: Data("220".utf8)) == true else { return false }
    task.startSecureConnection()
    return true
  }

  // MARK: Uploads from sequences

  func send(_ lines: AsyncStream<String>, to url: URL) async throws {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    let chunks = lines.map { Data(($0 + "\n").utf8) }
    _ = try await URLSession.shared.upload(for: request, from: chunks)
  }

  // MARK: Background sessions

  final class PhotoDelegate: NSObject, URLSessionDownloadDelegate {
    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
      let name = downloadTask.taskDescription ?? "photo"
      try? FileManager.default.moveItem(at: location, to: URL(fileURLWithPath: "photos/\(name)"))
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
      print("The downloads of the previous run are complete.")
    }
  }

  func resumePhotos() -> URLSession {
    let configuration = URLSessionConfiguration.background(withIdentifier: "photos")
    return URLSession(configuration: configuration, delegate: PhotoDelegate(), delegateQueue: nil)
  }

  func download(_ url: URL, named name: String, in session: URLSession) {
    let task = session.downloadTask(with: url)
    task.taskDescription = name
    task.resume()
  }
}

#endif
