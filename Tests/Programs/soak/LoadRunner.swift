import Foundation
import Retriever
import Synchronization
import TestSupport

/// Runs one load as planned, and checks its result.
struct LoadRunner: Sendable {
  let runLog: RunLog
  let servers: SoakServers
  /// The directory for files to upload.
  let directory: TemporaryDirectory

  func run(_ plan: LoadPlan, on member: SessionPool.Member) async {
    runLog.started(plan)
    let load = Task { await outcome(of: plan, on: member.session) }
    var canceller: Task<Void, Never>?
    if let delay = plan.microsecondsUntilCancel {
      canceller = Task {
        try? await Task.sleep(for: .microseconds(delay))
        load.cancel()
      }
    }
    let result = await load.value
    canceller?.cancel()
    runLog.ended(plan, result)
    judge(plan, result, mayBeCancelled: member.mayHaveCancelled)
  }

  private func judge(_ plan: LoadPlan, _ outcome: Outcome, mayBeCancelled: Bool) {
    let expectation = Expectation(plan)
    switch outcome {
    case .failure(let code, let text):
      if expectation.errors.contains(code) || (mayBeCancelled && code == -999) { return }
      let wanted = describe(expectation)
      runLog.violation(
        "unexpected error \(code)", "\(plan) failed with URLError \(code) (\(text)) instead of \(wanted)")
    case .other(let text):
      runLog.violation("not a URLError", "\(plan) failed with \(text)")
    case .response(let status, let body, let fields):
      guard let response = expectation.response else {
        let wanted = describe(expectation)
        return runLog.violation(
          "unexpected response", "\(plan) returned \(status) with \(body.count) bytes instead of \(wanted)")
      }
      if fields[TunnelProxy.fieldName.lowercased()] != nil {
        runLog.violation("proxy response", "\(plan) returned a response with fields of the proxy")
      }
      let wanted = Content.bytes(plan.number, response.size)
      if status != response.status || body != wanted {
        runLog.violation(
          "wrong response",
          "\(plan) returned \(status) with \(body.count) bytes (\(difference(body, wanted) ?? "correct"))")
      }
    }
  }

  private func describe(_ expectation: Expectation) -> String {
    var parts = expectation.errors.sorted().map { "\($0)" }
    if let response = expectation.response {
      parts.insert("\(response.status) with \(response.size) bytes", at: 0)
    }
    return parts.joined(separator: " or ")
  }

  private func request(_ plan: LoadPlan) -> URLRequest? {
    guard let url = servers.url(for: plan) else { return nil }
    var request = URLRequest(url: url, timeoutInterval: plan.timeout)
    request.httpMethod = plan.method
    request.setValue("soak \(plan.number)", forHTTPHeaderField: "Authorization")
    request.setValue("soak \(plan.number)", forHTTPHeaderField: "X-Soak-Token")
    guard plan.kind != .upload, plan.kind != .uploadFile else { return request }
    switch plan.body {
    case .none: break
    case .data(let size): request.httpBody = Content.bytes(plan.number, size)
    case .stream(let size): request.httpBodyStream = InputStream(data: Content.bytes(plan.number, size))
    }
    return request
  }

  private func outcome(of plan: LoadPlan, on session: URLSession) async -> Outcome {
    guard let request = request(plan) else { return .other("the URL is not valid") }
    do {
      let (body, response) = try await load(plan, request, on: session)
      guard let response = response as? HTTPURLResponse else { return .other("a response without a status") }
      var fields: [String: String] = [:]
      for (name, value) in response.allHeaderFields { fields["\(name)".lowercased()] = "\(value)" }
      return .response(status: response.statusCode, body: body, fields: fields)
    } catch let error as URLError {
      return .failure(error.errorCode, error.localizedDescription)
    } catch is CancellationError {
      return .failure(-999, "")
    } catch {
      return .other("\(type(of: error)): \(error)")
    }
  }

  private func load(
    _ plan: LoadPlan, _ request: URLRequest, on session: URLSession
  ) async throws -> (Data, URLResponse) {
    switch plan.kind {
    case .data: return try await session.data(for: request)
    case .handler: return try await loadWithHandler(plan, request, on: session)
    case .upload:
      return try await session.upload(for: request, from: Content.bytes(plan.number, plan.body.size))
    case .uploadFile:
      let file = try directory.write(Content.bytes(plan.number, plan.body.size), to: "\(plan.number)")
      defer { try? FileManager.default.removeItem(at: file) }
      return try await session.upload(for: request, fromFile: file)
    case .download:
      let (file, response) = try await session.download(for: request)
      defer { try? FileManager.default.removeItem(at: file) }
      // Foundation's `Data(contentsOf:)` leaks a page for each empty file, which LeakSanitizer reports.
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      return (try handle.readToEnd() ?? Data(), response)
    case .bytes:
      let (bytes, response) = try await session.bytes(for: request)
      var body = Data()
      for try await byte in bytes { body.append(byte) }
      return (body, response)
    case .lines:
      let (bytes, response) = try await session.bytes(for: request)
      var text = ""
      for try await line in bytes.lines { text += line + "\n" }
      // A sequence of lines does not show whether the last line ended with a newline.
      let size = plan.behaviour.size
      if text.utf8.count == size + 1, Content.bytes(plan.number, size).last != UInt8(ascii: "\n") {
        text.removeLast()
      }
      return (Data(text.utf8), response)
    }
  }

  private func loadWithHandler(
    _ plan: LoadPlan, _ request: URLRequest, on session: URLSession
  ) async throws -> (Data, URLResponse) {
    let calls = Mutex(0)
    let result = Mutex<Result<(Data, URLResponse), any Error>?>(nil)
    let done = Gate()
    let runLog = runLog
    let task = session.dataTask(with: request) { data, response, error in
      let count = calls.withLock { count in
        count += 1
        return count
      }
      guard count == 1 else {
        return runLog.violation("ended twice", "the handler of \(plan) was called \(count) times")
      }
      let value: Result<(Data, URLResponse), any Error> =
        if let error { .failure(error) } else if let data, let response { .success((data, response)) } else {
          .failure(URLError(.unknown))
        }
      result.withLock { $0 = value }
      done.open()
    }
    task.resume()
    await withTaskCancellationHandler {
      // The handler is always called, even if this task is cancelled.
      _ = await Task.detached { await done.wait() }.value
    } onCancel: {
      task.cancel()
    }
    guard let result = result.withLock({ $0 }) else { throw URLError(.unknown) }
    return try result.get()
  }
}
