#if !canImport(Darwin)
  import Foundation
  import TransferEngine

  /// The state of a task that several threads may read or change, protected by the task's lock.
  struct TaskState: Sendable {
    var machine = TaskStateMachine()
    var currentRequest: URLRequest?
    var response: HTTPURLResponse?
    var error: URLError?
    var delegate: (any URLSessionTaskDelegate)?
    var completion: TaskCompletion?
    var uploadBody: UploadBody?
    var transfer: Transfer?
    var deadline: TransferDeadline?
    /// The authorization to send instead of the request's own, after a challenge or from the session's memory.
    var authorization: String?
    var redirectCount = 0
    var hasSentBody = false
    /// The length of the body being sent, as it was when sending began.
    var bodyLength: Int64?
    /// Whether the program may need metrics.
    var collectsRecords = false
    var records: [TransactionRecord] = []
    var start: Date?
    var sentBytes: Int64 = 0
    var receivedBytes: Int64 = 0
    var expectedToReceive: Int64 = -1
    /// The same for the most recent head, whose response may be discarded.
    var announcedLength: Int64 = -1
    /// The counts that were reported to the delegate. A scheduled call includes everything that arrives before it is
    /// made.
    var reportedSent = ReportedCount()
    var reportedWritten = ReportedCount()
    @Boxed var resume: ResumeData?
    /// The handlers that wait for the resume data of a cancelled download.
    var resumeDataHandlers: [@Sendable (Data?) -> Void] = []
    var progress: Progress?
    /// Ends the task at its deadline while it waits for a delegate and no transfer does so.
    @Boxed var questionTimer: Task<Void, Never>?
    @Boxed private var startedChallenges: ChallengeMachine?
    @Boxed private var changedAttributes: Attributes?

    /// Delivers the response that a delegate was asked about.
    mutating func answeredDeliver() -> TaskStateMachine.Action {
      cancelQuestionTimer()
      return machine.answeredDeliver()
    }

    /// Sends the next request, instead of delivering the response that a delegate was asked about.
    mutating func answeredFollow() -> TaskStateMachine.Action {
      cancelQuestionTimer()
      return machine.answeredFollow()
    }

    /// Removes the timer, because the delegate has answered or the task is over.
    mutating func cancelQuestionTimer() {
      guard let timer = questionTimer else { return }
      timer.cancel()
      questionTimer = nil
    }

    /// The part of an increasing count that was reported to a delegate.
    struct ReportedCount: Sendable {
      private var count: Int64 = 0
      private var isScheduled = false

      /// Returns true if a call has to be scheduled.
      mutating func needsReport() -> Bool {
        defer { isScheduled = true }
        return !isScheduled
      }

      /// Returns how much the count has grown since the last call. Returns nil if the previous call already reported
      /// everything.
      mutating func report(upTo total: Int64) -> Int64? {
        defer { count = total }
        isScheduled = false
        return total > count ? total - count : nil
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

    init(request: URLRequest, uploadBody: UploadBody?) {
      currentRequest = request
      self.uploadBody = uploadBody
    }
  }
#endif
