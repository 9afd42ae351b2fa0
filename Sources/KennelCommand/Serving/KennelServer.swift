import HTTPService
import KennelCore
import TerminalProgram

/// A kennel that is being served.
struct KennelServer: Sendable {
  private let listener: KennelListener
  private let site: KennelSite

  /// Answers begin with ``run()``.
  ///
  /// There is a listener already: a second server on the same port must not touch the first one's thumbnails.
  init(_ store: KennelStore, directory: String, _ listener: KennelListener) throws {
    self.listener = listener
    var configuration = listener.settings.site
    let log = listener.log
    configuration.onError = { log.note(problem: "\($1): \($0)") }
    site = try KennelSite(store: store, directory: directory, configuration: configuration)
  }

  /// Serves until the task is cancelled; then answers that are under way may end.
  func run() async throws {
    await ReadinessNotice.send("READY=1")
    do {
      try await withTaskCancellationHandler {
        try await listener.server.run(grace: listener.settings.grace) { [site] in await site.respond(to: $0) }
      } onCancel: {
        Task { await ReadinessNotice.send("STOPPING=1") }
      }
    } catch {
      await site.close()
      throw error
    }
    await site.close()
    await listener.log.flush()
  }
}
