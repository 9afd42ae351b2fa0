import Foundation
import RetrieverConformance
import TestSupport

extension Call {
  /// Performs the request with a completion handler.
  func runWithHandler() async throws {
    let done = Gate()
    let outcome = outcome
    let exchange = exchange
    let hasMetrics = hasMetrics
    @Sendable func completed(_ response: URLResponse?, _ error: (any Error)?, _ take: () throws -> Void) {
      let hadMetrics = hasMetrics()
      outcome.take(response)
      do {
        try take()
        if let error { outcome.fail(with: error) }
      } catch {
        outcome.fail(with: error)
      }
      outcome.change { draft in
        draft.completions += 1
        draft.metricsCameFirst = hadMetrics
      }
      done.open()
    }

    let task: URLSessionTask
    switch exchange.kind {
    case .downloadCallback:
      task = session.downloadTask(with: request) { file, response, error in
        completed(response, error) { if let file { try outcome.take(file: file, of: exchange) } }
      }
    case .uploadCallback:
      var body = Data()
      if case .data(let data) = exchange.body { body = data }
      task = session.uploadTask(with: request, from: body) { data, response, error in
        completed(response, error) { outcome.change { $0.body = data ?? Data() } }
      }
    default:
      task = session.dataTask(with: request) { data, response, error in
        completed(response, error) { outcome.change { $0.body = data ?? Data() } }
      }
    }
    task.delegate = delegate
    task.resume()
    await withTaskCancellationHandler {
      await finished(done)
    } onCancel: {
      task.cancel()
    }
    // Waits briefly, because a second call would come now.
    _ = await eventually(within: .milliseconds(20)) { outcome.value.completions > 1 }
  }

  /// Cancels a download in a way that allows it to be resumed.
  func cancelDownload() async throws {
    guard let gate = exchange.cancelForResumption else { return }
    let done = Gate()
    let outcome = outcome
    let exchange = exchange
    let task = session.downloadTask(with: request) { file, response, error in
      outcome.take(response)
      if let file { try? outcome.take(file: file, of: exchange) }
      if let error { outcome.fail(with: error) }
      done.open()
    }
    task.resume()
    await gate.wait()
    let produced = Gate()
    task.cancel { data in
      outcome.change { $0.resumeData = data }
      produced.open()
    }
    await finished(produced)
    await finished(done)
  }

  /// Waits for the gate, even if the calling task is cancelled.
  private func finished(_ gate: Gate) async {
    _ = await Task.detached { await gate.wait() }.value
  }
}
