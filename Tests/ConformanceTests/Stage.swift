import Foundation
import RetrieverConformance
import Synchronization
import TestSupport

/// Where scenarios are played: a configuration, a server, and the lines that report what happened.
struct Stage {
  let configuration: URLSessionConfiguration
  let origin: String
  let notes = Notes()

  func url(_ path: String = "/") -> URL { URL(string: origin + path) ?? URL(fileURLWithPath: "/") }

  func session(_ delegate: (any URLSessionDelegate)? = nil, queue: OperationQueue? = nil) -> URLSession {
    URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
  }

  /// Loads and returns the body as text; the error's code if there was one.
  func text(_ session: URLSession, _ request: URLRequest) async -> String {
    do {
      return String(decoding: try await session.data(for: request).0, as: UTF8.self)
    } catch {
      return "\((error as? URLError)?.errorCode ?? 0)"
    }
  }

  func text(_ session: URLSession, _ path: String = "/a") async -> String {
    await text(session, URLRequest(url: url(path)))
  }

  /// Creates a task whose handler notes the status, and a gate that opens then.
  func noting(_ session: URLSession, _ path: String) -> (task: URLSessionDataTask, ended: Gate) {
    let ended = Gate()
    let notes = notes
    let task = session.dataTask(with: url(path)) { _, response, _ in
      notes.add("status \((response as? HTTPURLResponse)?.statusCode ?? 0)")
      ended.open()
    }
    return (task, ended)
  }
}

/// Lines from several threads.
final class Notes: Sendable {
  private let stored = Mutex<[String]>([])

  var lines: [String] { stored.withLock { $0 } }

  func add(_ line: String) { stored.withLock { $0.append(line) } }

  /// Adds a line unless it repeats the last one.
  func addOnce(_ line: String) {
    stored.withLock { if $0.last != line { $0.append(line) } }
  }
}

/// A delegate that notes the end of its task.
protocol NotingDelegate: URLSessionTaskDelegate {
  var notes: Notes { get }
  var ended: Gate { get }
}

extension NotingDelegate {
  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    notes.add(error.map { "complete \(($0 as? URLError)?.errorCode ?? 0)" } ?? "complete")
    ended.open()
  }
}

extension URLSessionTask.State {
  var word: String {
    switch self {
    case .running: "running"
    case .suspended: "suspended"
    case .canceling: "canceling"
    case .completed: "completed"
    @unknown default: "unknown"
    }
  }
}

extension URLSessionClient {
  func play(_ scenario: Scenario, at origin: String, _ options: SessionOptions) async throws -> [String] {
    let configuration = URLSessionConfiguration.ephemeral
    try Library.configure(configuration, options)
    if let proxy = options.proxy {
      configuration.connectionProxyDictionary = [
        "HTTPEnable": 1, "HTTPProxy": proxy.host, "HTTPPort": proxy.port,
        "HTTPSEnable": 1, "HTTPSProxy": proxy.host, "HTTPSPort": proxy.port,
        "ExceptionsList": proxy.exceptions,
      ]
    }
    let stage = Stage(configuration: configuration, origin: origin)
    return try await stage.play(scenario)
  }
}

extension Stage {
  fileprivate func play(_ scenario: Scenario) async throws -> [String] {
    switch scenario {
    case .suspendingTwice: await suspendingTwice()
    case .states: await states()
    case .allTasks: await allTasks()
    case .tasksByKind: await tasksByKind()
    case .identifiers: identifiers()
    case .uploadRequest: await uploadRequest()
    case .redirectedRequest: await redirectedRequest()
    case .taskProperties: await taskProperties()
    case .progress: await progress()
    case .earliestBegin: try await earliestBegin()
    case .delayedRequest: try await delayedRequest()
    case .configurationCopies: configurationCopies()
    case .sharedSession: await sharedSession()
    case .finishingTasks: await finishingTasks()
    case .configuredProxy, .proxyException: await throughProxy()
    case .delegateOrder: await delegateOrder()
    case .createdTask: await createdTask()
    case .refusedResponse: await refusedResponse()
    case .lateDisposition: await lateDisposition()
    case .becomingDownload: try await becomingDownload()
    case .downloadDelegate: await downloadDelegate()
    case .informationalResponse: await informationalResponse()
    case .delegateQueue: await delegateQueue()
    case .queueOrder: await queueOrder()
    case .cachedTwice: await cachedTwice()
    case .cachedVariants: await cachedVariants()
    case .cachePolicies: await cachePolicies()
    case .emptyCache: await emptyCache()
    case .noCache: await noCache()
    case .cacheInvalidation: await cacheInvalidation()
    case .cachedPosts: await cachedPosts()
    case .refusedStoring: await refusedStoring()
    case .storedByProgram: await storedByProgram()
    case .clearedCache: await clearedCache()
    case .cachedConcurrently: await cachedConcurrently()
    case .cachedRange: await cachedRange()
    case .combinedRanges: await combinedRanges()
    case .interruptedForCache: await interruptedForCache()
    case .cacheSubclass: await cacheSubclass()
    case .largeForCache: await largeForCache()
    case .protocolAnswers: await protocolAnswers()
    case .protocolPieces: await protocolPieces()
    case .protocolFails: await protocolText("fails")
    case .protocolRedirects: await protocolRedirects()
    case .protocolRefuses: await protocolRefuses()
    case .protocolOrder: await protocolOrder()
    case .protocolCancelled: await protocolCancelled()
    case .protocolBody: await protocolBody()
    case .protocolDownload: await protocolDownload()
    case .protocolProperty: await protocolProperty()
    case .dataAndFiles: try await dataAndFiles()
    case .webSocketText: try await webSocketText()
    case .webSocketBytes: try await webSocketBytes()
    case .webSocketPing: await webSocketPing()
    case .webSocketClosedByServer: await webSocketClosedByServer()
    case .webSocketClosedByClient: await webSocketClosedByClient()
    case .webSocketSubprotocol: await webSocketSubprotocol()
    case .webSocketRefused: await webSocketRefused()
    case .webSocketTooLong: await webSocketTooLong()
    case .streamTask: try await Library.streamTask(self)
    case .requestFields: requestFields()
    case .requestBodies: requestBodies()
    case .responseProperties: try responseProperties()
    case .archives: try archives()
    case .cookieFields: cookieFields()
    case .defaultCredential: defaultCredential()
    case .equality: equality()
    case .statusText: statusText()
    }
  }
}
