#if !canImport(Darwin)
import Foundation
import TransferEngine

/// The state of a task that several threads may read or change, protected by the task's lock.
struct TaskState: Sendable {
  var machine = TaskStateMachine<TaskTransfer, QuestionTimer>()
  var currentRequest: URLRequest?
  var response: URLResponse?
  var error: (any Error)?
  var delegate: (any URLSessionTaskDelegate)?
  var completion: TaskCompletion?
  var uploadBody: UploadBody?
  var deadline: TransferDeadline?
  /// What answers for the request instead of its own field, after a challenge or a redirect.
  var authorizer: Authorizer?
  /// The same for a proxy.
  @Boxed var proxyAuthorizer: ProxyAuthorizer?
  var redirectCount = 0
  var hasSentBody = false
  /// The length of the body being sent, as it was when sending began.
  var bodyLength: Int64?
  var counts = TaskCounts()
  /// What is measured; nil if the program does not need metrics.
  @Boxed var measurements: Measurements?
  @Boxed var resume: ResumeData?
  /// The upload that the server may let continue after an interruption; nil if it was not offered to the server.
  @Boxed var upload: ResumableUpload?
  /// The handlers that wait for the resume data of a cancelled download or upload.
  var resumeDataHandlers: [@Sendable (Data?) -> Void] = []
  var progress: Progress?
  /// What waits for the date when the load may begin, or for a network.
  @Boxed var pendingWait: (any PendingWait)?
  /// What happened to attempts without a network.
  @Boxed var connectivity: ConnectivityRule?
  /// The URL of the program's request, if the task continues the load of another one that was redirected from there.
  @Boxed var startURL: URL?
  /// The task that this one has become.
  @Boxed var successor: URLSessionTask?
  /// The proofs of the server and the proxy that wait for the end of the response's body.
  @Boxed private var bodyProofs: [DigestSession.BodyProof]?
  @Boxed private var startedChallenges: ChallengeMachine?
  @Boxed private var startedProxyChallenges: ChallengeMachine?
  @Boxed private var changedAttributes: Attributes?

  /// What answers for a task to a proxy.
  struct ProxyAuthorizer: Sendable {
    let authorizer: Authorizer
    let proxy: Challenger
  }

  /// The measurements of a task.
  struct Measurements: Sendable {
    static let maximumRecords = 128

    let start = Date()
    private(set) var records: [TransactionRecord] = []

    /// Adds a record. Chains of redirects and challenges are shorter than the maximum.
    mutating func add(_ record: TransactionRecord) {
      if records.count < Self.maximumRecords { records.append(record) }
    }
  }

  /// The properties that the program sets and reads.
  struct Attributes: Sendable {
    var priority = URLSessionTask.defaultPriority
    var taskDescription: String?
    var earliestBeginDate: Date?
    var prefersIncrementalDelivery = true
    var clientExpectsToSend: Int64 = -1
    var clientExpectsToReceive: Int64 = -1
  }

  var challenges: ChallengeMachine {
    get { startedChallenges ?? ChallengeMachine() }
    set { startedChallenges = newValue }
  }

  /// The challenges of proxies.
  var proxyChallenges: ChallengeMachine {
    get { startedProxyChallenges ?? ChallengeMachine() }
    set { startedProxyChallenges = newValue }
  }

  /// Handles a response that a proxy forwarded.
  mutating func acceptedByProxy() -> ChallengeMachine.Acceptance? {
    startedProxyChallenges == nil ? nil : startedProxyChallenges?.accepted()
  }

  /// Whether a proxy has sent no proof that it knows the password, or the right one.
  mutating func isConfirmedByProxy(_ response: HTTPURLResponse, _ proxy: Challenger) -> Bool {
    guard let challenges = startedProxyChallenges else { return true }
    waitForBody(challenges.bodyProof(in: response, from: proxy))
    return challenges.isConfirmed(by: response, from: proxy)
  }

  /// Changes the challenges of the server or of the proxy.
  mutating func withChallenges<Result>(
    of challenger: Challenger, _ change: (inout ChallengeMachine) -> Result
  ) -> Result {
    if case .server = challenger { return change(&challenges) }
    return change(&proxyChallenges)
  }

  /// Sets the credentials that the next request carries.
  mutating func authorize(with authorizer: Authorizer, for challenger: Challenger) {
    if case .server = challenger {
      self.authorizer = authorizer
    } else {
      proxyAuthorizer = ProxyAuthorizer(authorizer: authorizer, proxy: challenger)
    }
  }

  /// Whether a response has no proof that the server knows the password, or the right one.
  mutating func isConfirmed(by response: HTTPURLResponse) -> Bool {
    guard let challenges = startedChallenges else { return true }
    waitForBody(challenges.bodyProof(in: response))
    return challenges.isConfirmed(by: response)
  }

  private mutating func waitForBody(_ proof: DigestSession.BodyProof?) {
    if let proof { bodyProofs = (bodyProofs ?? []) + [proof] }
  }

  /// Whether the proofs that waited for the response's body are right. It ends their waiting.
  mutating func areBodyProofsRight(for hashes: [HashAlgorithm: [UInt8]]) -> Bool {
    guard let proofs = bodyProofs else { return true }
    bodyProofs = nil
    return proofs.allSatisfy { $0.isRight(for: hashes) }
  }

  /// Handles a response that is not a challenge. Most such responses do not follow one.
  mutating func accepted() -> ChallengeMachine.Acceptance? {
    startedChallenges == nil ? nil : startedChallenges?.accepted()
  }

  var attributes: Attributes {
    get { changedAttributes ?? Attributes() }
    set { changedAttributes = newValue }
  }

  /// When the load may begin. Most tasks have no such date.
  var earliestBeginDate: Date? { changedAttributes?.earliestBeginDate }

  /// The priority. Most tasks use the default.
  var priority: Float { changedAttributes?.priority ?? URLSessionTask.defaultPriority }
}
#endif
