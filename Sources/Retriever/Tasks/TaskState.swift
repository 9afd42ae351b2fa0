#if !canImport(Darwin)
  import Foundation
  import TransferEngine

  /// What a task knows that more than one thread may ask for or change; kept under the task's lock.
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
    /// Sent instead of what the request says, after a challenge or from what the session remembers.
    var authorization: String?
    var redirectCount = 0
    var hasSentBody = false
    /// The length of what is being sent, as it was when sending began.
    var bodyLength: Int64?
    /// Whether somebody may ask for measurements.
    var collectsRecords = false
    var records: [TransactionRecord] = []
    var start: Date?
    var sentBytes: Int64 = 0
    var receivedBytes: Int64 = 0
    var expectedToReceive: Int64 = -1
    /// The same for the head that came last, which may be one of a response that is dropped.
    var announcedLength: Int64 = -1
    /// What the delegate has been told of; a call that is on its way takes in all that comes meanwhile.
    var toldSent = Told()
    var toldWritten = Told()
    @Boxed var resume: ResumeData?
    /// Who waits for the resume data of a cancelled download.
    var resumeDataHandlers: [@Sendable (Data?) -> Void] = []
    var progress: Progress?
    @Boxed private var startedChallenges: ChallengeMachine?
    @Boxed private var changedFace: Face?

    /// How far a delegate knows about a count that grows.
    struct Told: Sendable {
      private var count: Int64 = 0
      private var isOnItsWay = false

      /// True when a call has to be sent on its way.
      mutating func grows() -> Bool {
        defer { isOnItsWay = true }
        return !isOnItsWay
      }

      /// The call is being made: by how much has the count grown since the last one? Nil when the call before it has
      /// told all of it already.
      mutating func tell(_ total: Int64) -> Int64? {
        defer { count = total }
        isOnItsWay = false
        return total > count ? total - count : nil
      }
    }

    /// What the program sets and reads back.
    struct Face: Sendable {
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

    /// For responses that are no challenge, most of which follow none.
    mutating func accepted() -> ChallengeMachine.Acceptance? {
      startedChallenges == nil ? nil : startedChallenges?.accepted()
    }

    var face: Face {
      get { changedFace ?? Face() }
      set { changedFace = newValue }
    }

    /// Most tasks were given none.
    var priority: Float { changedFace?.priority ?? URLSessionTask.defaultPriority }

    init(request: URLRequest, uploadBody: UploadBody?) {
      currentRequest = request
      self.uploadBody = uploadBody
    }
  }
#endif
