/// Something that a program does with a session beyond one request. A client performs it and reports what happened.
///
/// Each case names the calls, and the lines that they report. A line has a name and values, separated by spaces.
public enum Scenario: String, Sendable {
  // MARK: Tasks

  /// Resumes a data task for `/held`, suspends it twice, resumes it twice, and lets `/go` release the response. Reports
  /// `task.state` after each call, and the status of the response.
  case suspendingTwice
  /// Reports `task.state` of a data task before `resume`, after its completion, and after the completion of another
  /// task that was cancelled.
  case states
  /// Resumes three tasks for `/held`. Reports the number of all tasks before and after `invalidateAndCancel`-like
  /// cancelling of each.
  case allTasks
  /// Starts a data, an upload and a download task for `/held`. Reports how many of each kind the session returns.
  case tasksByKind
  /// Reports whether the identifiers of 100 tasks differ.
  case identifiers
  /// Uploads with a GET request. Reports the method of `originalRequest` and the status.
  case uploadRequest
  /// Loads `/from`, which is redirected. Reports the paths of `originalRequest` and `currentRequest`.
  case redirectedRequest
  /// Sets description and priority. Reports both before and after the load.
  case taskProperties
  /// Reports `fractionCompleted` and the counts of bytes of a finished task.
  case progress
  /// Sets `earliestBeginDate` to a moment in the near future. Reports whether the load ended after it.
  case earliestBegin
  /// The same, with a delegate that changes the request to `/changed`.
  case delayedRequest
  /// Copies the session's configuration, changes the copy and the original. Reports the session's own value.
  case configurationCopies
  /// Invalidates the shared session and loads with it.
  case sharedSession
  /// Reports that a session that finishes its tasks completes them, and then calls its delegate.
  case finishingTasks

  // MARK: Delegates

  /// Sends a POST. Reports the calls of the delegate, repeated ones once.
  case delegateOrder
  /// Reports whether `didCreateTask` was called.
  case createdTask
  /// Answers `.cancel` to a response. Reports the calls.
  case refusedResponse
  /// Answers `.allow` to a response only after another load has ended. Reports the calls.
  case lateDisposition
  /// Answers `.becomeDownload`. Reports the calls and the contents of the file.
  case becomingDownload
  /// Reports the counts of a download's delegate, the contents of its file, and whether the file exists after the call.
  case downloadDelegate
  /// Reports the informational responses.
  case informationalResponse
  /// Reports whether the delegate and a handler are called on the session's queue.
  case delegateQueue
  /// Reports the order of delegate calls and an operation that the program adds to the queue between them.
  case queueOrder

  // MARK: Cache

  /// Loads `/a` twice. Reports both bodies.
  case cachedTwice
  /// Loads with `Accept-Language: en` twice and then `de`. Reports the bodies.
  case cachedVariants
  /// Loads with the policies default, `reloadIgnoringLocalCacheData`, `returnCacheDataElseLoad` and
  /// `returnCacheDataDontLoad`. Reports the bodies.
  case cachePolicies
  /// Loads with `returnCacheDataDontLoad` from an empty cache. Reports the error's code.
  case emptyCache
  /// Loads twice without a cache.
  case noCache
  /// Loads `/a`, sends a PUT to it, and loads it again. Reports the bodies.
  case cacheInvalidation
  /// Sends two POSTs. Reports the bodies.
  case cachedPosts
  /// Loads twice with a delegate that refuses to store. Reports its calls and the bodies.
  case refusedStoring
  /// Stores a response itself and loads it.
  case storedByProgram
  /// Loads, removes all responses, and loads again.
  case clearedCache
  /// Loads a body of more than 5 % of the cache's capacity twice. Reports the numbers of bytes.
  case largeForCache
  /// Loads `/a` twice at the same time. Reports both bodies.
  case cachedConcurrently
  /// Loads `/a`, and then the bytes 2 to 4 of it. Reports the bodies and the status of the second response.
  case cachedRange
  /// Loads the bytes 0 to 2047 and 2048 to 4095 of `/a`, and then 1024 to 3071. Reports the lengths.
  case combinedRanges
  /// Loads `/a` until it is interrupted, and then again. Reports whether the first load failed, and the length.
  case interruptedForCache
  /// Loads `/a` twice with a subclass of `URLCache` that has its own storage. Reports both bodies.
  case cacheSubclass

  // MARK: Protocols

  /// Loads an address that a `URLProtocol` answers. Reports its calls, and status, field and body.
  case protocolAnswers
  /// The same with a handler, from another thread, in pieces.
  case protocolPieces
  /// A protocol fails with -1009. Reports the code.
  case protocolFails
  /// A protocol redirects to another address that it answers. Reports the addresses.
  case protocolRedirects
  /// A protocol refuses the address. The network answers.
  case protocolRefuses
  /// Two protocols would answer. Reports which one does.
  case protocolOrder
  /// Cancels a task that a protocol never answers. Reports its calls and the code.
  case protocolCancelled
  /// Sends a body to a protocol. Reports what the protocol reads from the request's body stream.
  case protocolBody
  /// Downloads from a protocol. Reports the contents of the file.
  case protocolDownload
  /// Stores a property in a request. Reports it in the protocol.
  case protocolProperty
  /// Loads `data:` and `file:` addresses.
  case dataAndFiles

  // MARK: Connections of the program

  /// Sends a text to a WebSocket server and receives one.
  case webSocketText
  /// The same with bytes.
  case webSocketBytes
  /// Sends a ping. Reports that its handler was called without an error.
  case webSocketPing
  /// Receives until the server closes. Reports the messages, code and reason.
  case webSocketClosedByServer
  /// Closes with 1001 and a reason.
  case webSocketClosedByClient
  /// Offers two subprotocols. Reports the one that the delegate gets.
  case webSocketSubprotocol
  /// Connects to a server that refuses. Reports that receiving fails.
  case webSocketRefused
  /// Receives a message that is too long. Reports that receiving fails.
  case webSocketTooLong
  /// Writes to a TCP server, reads the reply, and closes.
  case streamTask

  // MARK: Proxies of the configuration

  /// Loads through the HTTP proxy of `connectionProxyDictionary`.
  case configuredProxy
  /// The same with an exception for the server.
  case proxyException

  // MARK: Values

  /// Field names of a request in several spellings, `addValue`, and their values.
  case requestFields
  /// Sets `httpBody`, then `httpBodyStream`, and the reverse.
  case requestBodies
  /// The properties of a response.
  case responseProperties
  /// Archives and restores a response, a credential, a protection space and a request.
  case archives
  /// Cookies from a field, and the field from cookies.
  case cookieFields
  /// Sets a default credential, removes it, and reports what remains.
  case defaultCredential
  /// Compares requests.
  case equality
  /// The text of a status.
  case statusText
}
