import HTTPService
import KennelModel
import KennelStorage

extension Problem {
  /// Creates the problem that a client sees for an error. It contains nothing private, such as a path.
  init(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as KennelError: self.init(error)
    case let error as HTTPServerError:
      switch error.code {
      case .bodyTooLarge: self = .bodyTooLarge(limit: SmallBody.limit)
      case .bodyIncomplete: self = .badRequest("The body of the request is incomplete. Send it again.")
      default: self = .failed
      }
    case is CancellationError: self.init(.cancelled)
    default: self = .failed
    }
  }

  /// Creates the problem for a request that the server refused by itself.
  init(_ refusal: HTTPRefusal) {
    switch refusal.status {
    case .contentTooLarge: self.init(.contentTooLarge, "The request is larger than this kennel accepts.")
    case .internalServerError: self = .failed
    default: self.init(refusal.status, refusal.reason)
    }
  }

  private init(_ error: KennelError) {
    // The description names the server of the database.
    let detail =
      error.isUnreachable
      ? "The database of this kennel cannot be reached. Try again in a moment." : error.description
    switch error.code {
    case .noSuchPost, .noSuchComment, .noSuchUser, .noSuchLink, .noSuchAlbum, .noSuchUpload:
      self.init(.notFound, detail)
    case .notAllowed: self.init(.forbidden, detail)
    case .badText, .badName, .badPassword, .badPhoto, .badDate: self.init(.unprocessableContent, detail)
    case .nameTaken, .wrongOffset: self.init(.conflict, detail)
    case .alreadyPosted:
      let post = error.post ?? 0
      self.init(
        .conflict,
        "\(detail) It is at /posts/\(post). To share it again, add ?duplicate=allow to the address.",
        fields: ["Location": "/posts/\(post)"])
      self.post = post
    case .photoTooLarge, .quotaExceeded: self.init(.contentTooLarge, detail)
    case .unknownFormat: self.init(.unsupportedMediaType, detail)
    case .wrongCredentials: self.init(.unauthorized, detail)
    case .tooManyAttempts:
      self.init(.tooManyRequests, detail, fields: ["Retry-After": String(max(error.secondsToWait ?? 1, 1))])
    case .tooManyUploads: self.init(.tooManyRequests, detail)
    case .busy, .closed, .cancelled:
      self.init(.serviceUnavailable, detail, fields: ["Retry-After": "5"])
    case .storeUnavailable: self.init(.serviceUnavailable, detail, fields: ["Retry-After": "30"])
    case .diskFull:
      self.init(507, "Kennel has no disk space left. Nothing was changed. Contact the owner.")
    default: self = .failed
    }
    if error.code == .badPhoto { cause = error.cause }
  }

  /// Returns whether the owner has to know about the error: it is not a client error, and waiting does not help. A store
  /// or a database that cannot be reached may need the owner, too.
  static func isFault(_ error: any Error) -> Bool {
    let status = Problem(error).status
    return status == .internalServerError || status == 507
      || (error as? KennelError).map { $0.code == .storeUnavailable || $0.isUnreachable } ?? false
  }
}
