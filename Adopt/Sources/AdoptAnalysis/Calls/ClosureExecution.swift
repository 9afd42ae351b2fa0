import SwiftSyntax

/// How a function runs a closure that it gets.
enum ClosureExecution: Equatable {
  /// Runs it exactly once. An error that the closure throws goes to the caller of the function.
  case once
  /// Runs it exactly once. An error that the closure throws is ignored.
  case onceSwallowing
  /// Runs it exactly once, with the response of a finished request.
  case onceWithResponse
  /// Stores it, and runs it at most once after a later call that starts the work.
  case onceStarted
  /// Runs it any number of times before returning.
  case many
  case unknown

  /// Functions that run each of their closures exactly once, immediately or later.
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

  /// Those of them that return the result of the closure. If the caller uses the result, it may decide whether the
  /// handler is still to be called, which cannot be followed.
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

  /// Methods of requests in Alamofire and AlamofireImage that add “a handler to be called once the request has
  /// finished”. The methods for streams are not included, because they call their closure for each piece of data.
  static let responseNames: Set<String> = [
    "response", "responseData", "responseDecodable", "responseImage", "responseJSON", "responsePropertyList",
    "responseString", "responseURL",
  ]

  /// Functions that do not call their closures exactly once, even if their labels suggest it.
  static let unknownNames: Set<String> = [
    "sink", "handleEvents", "observe", "addObserver", "subscribe", "listen", "bind", "scheduledTimer",
    "addSnapshotListener", "publisher", "register", "addAction", "watch", "stream", "onReceive", "retry",
    "addAuthStateDidChangeListener", "setEventHandler", "setCancelHandler", "monitor", "poll", "every",
    "recognitionTask",
  ]

  /// Functions that keep their closure and call it for each event, until it is removed.
  static let repeatingNames: Set<String> = [
    "sink", "observe", "addObserver", "subscribe", "listen", "addSnapshotListener", "addListener",
    "onReceive",
    "scheduledTimer", "setEventHandler", "addAuthStateDidChangeListener", "watch", "monitor", "addHandler",
  ]

  /// Properties that keep a closure and call it for each event.
  static func isEventHandler(_ name: String) -> Bool {
    let lowered = name.lowercased()
    let isHandler =
      lowered.hasSuffix("handler") || lowered.hasSuffix("callback") || lowered.hasSuffix("listener")
      || (name.hasPrefix("on") && name.dropFirst(2).first?.isUppercase == true)
    return isHandler
      && [
        "state", "update", "change", "event", "message", "receive", "value", "progress", "status",
        "notification",
      ]
      .contains { lowered.contains($0) }
  }

  /// The beginnings of names of functions that store a closure and call it for each event.
  static let storingPrefixes = [
    "add", "observe", "subscribe", "listen", "watch", "register", "on", "set", "each", "every",
  ]

  static func storesClosure(_ name: String) -> Bool {
    for beginning in storingPrefixes where name.hasPrefix(beginning) {
      guard let next = name.dropFirst(beginning.count).first else { return true }
      if next.isUppercase { return true }
    }
    return false
  }

  /// The beginnings of names of functions that load one thing and finish.
  private static let loadingPrefixes = ["load", "fetch", "download", "upload", "save"]

  /// Returns whether a closure ignores the error of a function that loads something, as in `load(url) { image, _ in`.
  static func ignoresError(_ closure: ClosureExprSyntax, of name: String) -> Bool {
    let names = closure.parameterNames
    guard (2...3).contains(names.count), names[0] != "_", names.last == "_" else { return false }
    return loadingPrefixes.contains { beginning in
      guard name.hasPrefix(beginning) else { return false }
      return name.dropFirst(beginning.count).first?.isUppercase ?? true
    }
  }

  /// Returns whether a call creates an object that does not start its work yet.
  ///
  /// The requests of Vision are excluded: they report an error both through the closure and by throwing.
  static func makesObject(_ name: String) -> Bool {
    name.first?.isUppercase == true && !name.hasPrefix("VN")
  }

  /// Returns whether a closure's parameter names show that it gets an outcome, such as an error.
  static func takesOutcome(_ closure: ClosureExprSyntax) -> Bool {
    closure.parameterNames.contains { name in
      ["error", "err", "result", "maybeError", "failure", "possibleError"].contains(name)
    }
  }
}
