import SwiftSyntax

/// How a function treats a closure that it is given.
enum ClosureRun: Equatable {
  /// Runs it exactly once; an error that leaves it goes to whoever called the function.
  case once
  /// Runs it exactly once, and nobody sees an error that leaves it.
  case onceSwallowing
  /// Runs it exactly once, when a request has finished, and gives it what came of that.
  case onceAnswered
  /// Keeps it, and runs it at most once when it is told to start.
  case onceStarted
  /// Runs it any number of times, and comes back.
  case many
  case unknown

  /// Functions that run each closure they are given exactly once, sooner or later.
  static let onceNames: Set<String> = [
    "async", "asyncAfter", "sync", "asyncAndWait", "addOperation", "addBarrierBlock", "run", "assumeIsolated",
    "perform", "performAndWait", "performBackgroundTask", "withAnimation", "animate", "animateKeyframes",
    "transition", "performBatchUpdates", "withLock", "withLockUnchecked", "withCriticalRegion", "withMutex",
    "withUnsafePointer", "withUnsafeMutablePointer", "withUnsafeBytes", "withUnsafeMutableBytes",
    "withUnsafeBufferPointer", "withUnsafeMutableBufferPointer", "withUnsafeTemporaryAllocation",
    "withExtendedLifetime", "withCString", "withUTF8", "withContiguousStorage", "withMemoryRebound",
    "autoreleasepool", "withTaskGroup", "withThrowingTaskGroup", "withDiscardingTaskGroup",
    "withThrowingDiscardingTaskGroup", "withValue", "notify", "dataTask", "downloadTask", "uploadTask",
    "prepareThumbnail", "prepareForDisplay", "present", "dismiss", "loadObject", "loadDataRepresentation",
    "loadFileRepresentation", "requestAccess", "requestAuthorization", "evaluateJavaScript",
    "loadValuesAsynchronously", "getAllTasks", "getTasksWithCompletionHandler", "getNotificationSettings",
    "geocodeAddressString", "reverseGeocodeLocation", "performChanges", "evaluatePolicy", "submit", "execute",
    "runOnMain", "onMain", "onMainThread", "performOnMainThread", "dispatchToMain",
  ]

  /// Those of them that give back what the closure returns. Where that decides whether the handler is still to be
  /// called, only the closure knows.
  static let returningNames: Set<String> = [
    "sync", "run", "assumeIsolated", "performAndWait", "withLock", "withLockUnchecked", "withCriticalRegion",
    "withMutex", "withValue", "autoreleasepool", "withExtendedLifetime", "withTaskGroup",
    "withThrowingTaskGroup", "withDiscardingTaskGroup", "withThrowingDiscardingTaskGroup",
    "withTaskCancellationHandler",
  ]

  static let swallowingNames: Set<String> = ["Task", "detached", "addTask", "immediate", "immediateDetached"]

  static let manyNames: Set<String> = [
    "forEach", "enumerateObjects", "enumerateKeysAndObjects", "concurrentPerform", "enumerateLines",
  ]

  /// Methods of Alamofire's requests, and of AlamofireImage's, that add “a handler to be called once the request has
  /// finished”. Those of streams are called for each piece, and are not among them.
  static let responseNames: Set<String> = [
    "response", "responseData", "responseDecodable", "responseImage", "responseJSON", "responsePropertyList",
    "responseString", "responseURL",
  ]

  /// Functions whose closures are not what their labels may suggest.
  static let unknownNames: Set<String> = [
    "sink", "handleEvents", "observe", "addObserver", "subscribe", "listen", "bind", "scheduledTimer",
    "addSnapshotListener", "publisher", "register", "addAction", "watch", "stream", "onReceive", "retry",
    "addAuthStateDidChangeListener", "setEventHandler", "setCancelHandler", "monitor", "poll", "every",
    "recognitionTask",
  ]

  /// Beginnings of names of functions that keep a closure and call it each time something happens.
  static let keepers = [
    "add", "observe", "subscribe", "listen", "watch", "register", "on", "set", "each", "every",
  ]

  static func isKeeper(_ name: String) -> Bool {
    for beginning in keepers where name.hasPrefix(beginning) {
      guard let next = name.dropFirst(beginning.count).first else { return true }
      if next.isUppercase { return true }
    }
    return false
  }

  /// Beginnings of names of functions that get one thing and end.
  private static let fetchers = ["load", "fetch", "download", "upload", "save"]

  /// `load(url) { image, _ in`: who gets something tells besides what went wrong, which is not looked at here.
  static func ignoresError(_ closure: ClosureExprSyntax, of name: String) -> Bool {
    let names = closure.parameterNames
    guard (2...3).contains(names.count), names[0] != "_", names.last == "_" else { return false }
    return fetchers.contains { beginning in
      guard name.hasPrefix(beginning) else { return false }
      return name.dropFirst(beginning.count).first?.isUppercase ?? true
    }
  }

  /// Whether a call makes an object, which does nothing yet. Vision's requests do, too, but tell of an error that comes
  /// of starting them twice: by the closure and by throwing.
  static func makesObject(_ name: String) -> Bool {
    name.first?.isUppercase == true && !name.hasPrefix("VN")
  }

  /// What the names that a closure gives its parameters say: those who end something tell of an error.
  static func tellsOutcome(_ closure: ClosureExprSyntax) -> Bool {
    closure.parameterNames.contains { name in
      ["error", "err", "result", "maybeError", "failure", "possibleError"].contains(name)
    }
  }
}

extension ClosureExprSyntax {
  var parameterNames: [String] {
    switch signature?.parameterClause {
    case .simpleInput(let names): names.map(\.name.text)
    case .parameterClause(let clause): clause.parameters.map { ($0.secondName ?? $0.firstName).text }
    default: []
    }
  }
}
