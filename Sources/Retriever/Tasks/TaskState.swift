#if !canImport(Darwin)
  import Foundation
  import TransferEngine

  /// What a task knows that more than one thread may ask for or change; kept under the task's lock.
  struct TaskState: Sendable {
    var machine = TaskStateMachine()
    var challenges = ChallengeMachine()
    var currentRequest: URLRequest?
    var response: HTTPURLResponse?
    var error: URLError?
    var delegate: (any URLSessionTaskDelegate)?
    var completion: TaskCompletion?
    var uploadBody: UploadBody?
    var transfer: Transfer?
    var deadline: ContinuousClock.Instant?
    /// Sent instead of what the request says, after a challenge or from what the session remembers.
    var authorization: String?
    var redirectCount = 0
    var hasSentBody = false
    /// Whether somebody may ask for measurements.
    var collectsRecords = false
    var records: [TransactionRecord] = []
    var start: Date?
    var sentBytes: Int64 = 0
    var receivedBytes: Int64 = 0
    var expectedToReceive: Int64 = -1
    var resume: ResumeData?
    /// Who waits for the resume data of a cancelled download.
    var resumeDataHandler: (@Sendable (Data?) -> Void)?
    var face = Face()

    /// What the program sets and reads back.
    struct Face: Sendable {
      var progress: Progress?
      var priority = URLSessionTask.defaultPriority
      var taskDescription: String?
      var earliestBeginDate: Date?
      var clientExpectsToSend: Int64 = -1
      var clientExpectsToReceive: Int64 = -1
    }

    init(request: URLRequest, uploadBody: UploadBody?) {
      currentRequest = request
      self.uploadBody = uploadBody
    }
  }
#endif
