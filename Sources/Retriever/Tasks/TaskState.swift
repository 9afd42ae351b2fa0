#if !canImport(Darwin)
import Foundation
import TransferEngine

/// The state of a task that several threads may read or change, protected by the task's lock.
struct TaskState: Sendable {
  var machine = TaskStateMachine<TaskTransfer, QuestionTimer>()
  var currentRequest: URLRequest?
  var response: HTTPURLResponse?
  var error: URLError?
  var delegate: (any URLSessionTaskDelegate)?
  var completion: TaskCompletion?
  var uploadBody: UploadBody?
  var deadline: TransferDeadline?
  /// The authorization to send instead of the request's own, after a challenge or from the session's memory.
  var authorization: String?
  var redirectCount = 0
  var hasSentBody = false
  /// The length of the body being sent, as it was when sending began.
  var bodyLength: Int64?
  var counts = TaskCounts()
  /// What is measured; nil if the program does not need metrics.
  @Boxed var measurements: Measurements?
  @Boxed var resume: ResumeData?
  /// The handlers that wait for the resume data of a cancelled download.
  var resumeDataHandlers: [@Sendable (Data?) -> Void] = []
  var progress: Progress?
  @Boxed private var startedChallenges: ChallengeMachine?
  @Boxed private var changedAttributes: Attributes?

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
    var clientExpectsToSend: Int64 = -1
    var clientExpectsToReceive: Int64 = -1
  }

  var challenges: ChallengeMachine {
    get { startedChallenges ?? ChallengeMachine() }
    set { startedChallenges = newValue }
  }

  /// Handles a response that is not a challenge. Most such responses do not follow one.
  mutating func accepted() -> ChallengeMachine.Acceptance? {
    startedChallenges == nil ? nil : startedChallenges?.accepted()
  }

  var attributes: Attributes {
    get { changedAttributes ?? Attributes() }
    set { changedAttributes = newValue }
  }

  /// The priority. Most tasks use the default.
  var priority: Float { changedAttributes?.priority ?? URLSessionTask.defaultPriority }

  init(request: URLRequest?, uploadBody: UploadBody?) {
    currentRequest = request
    self.uploadBody = uploadBody
  }
}
#endif
