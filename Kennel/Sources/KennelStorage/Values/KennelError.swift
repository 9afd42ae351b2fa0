import Foundation
import Glibc

/// An error of Kennel's store, or of a request to it.
package struct KennelError: Error, Sendable, LocalizedError, CustomStringConvertible {
  /// The kind of an error. Later versions may add more.
  package struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String
    private init(_ name: String) { self.name = name }

    /// A file, a directory or the database cannot be opened or created.
    package static let cannotOpen = Code("cannotOpen")
    /// There is no space left.
    package static let diskFull = Code("diskFull")
    /// The item is read-only.
    package static let notWritable = Code("notWritable")
    /// A file, or the database, could not be read or written.
    package static let inputOutput = Code("inputOutput")
    /// The database file is damaged.
    package static let damaged = Code("damaged")
    /// The database was written by a later version of Kennel.
    package static let newerSchema = Code("newerSchema")
    /// The database was written by an earlier version of Kennel, and the work must not change it.
    package static let olderSchema = Code("olderSchema")
    /// The database must be opened for writing first, because a program that used it was interrupted.
    package static let unfinished = Code("unfinished")
    /// The database belongs to another program.
    package static let foreignDatabase = Code("foreignDatabase")
    /// Another program has locked the database, or too much work is waiting. The call may be repeated.
    package static let busy = Code("busy")
    /// The change would violate a constraint of the database.
    package static let constraint = Code("constraint")
    /// SQLite or the system returned another error.
    package static let failed = Code("failed")
    /// The call was cancelled before it began.
    package static let cancelled = Code("cancelled")
    /// The store was closed.
    package static let closed = Code("closed")

    /// A user's name that breaks the rules for names.
    package static let badName = Code("badName")
    /// The name of an existing user.
    package static let nameTaken = Code("nameTaken")
    /// A password that breaks the rules for passwords.
    package static let badPassword = Code("badPassword")
    /// The name or the password is wrong. The error does not reveal which.
    package static let wrongCredentials = Code("wrongCredentials")
    /// Too many attempts to sign in. `secondsToWait` is the time until the next attempt is allowed.
    package static let tooManyAttempts = Code("tooManyAttempts")
    /// The user does not exist.
    package static let noSuchUser = Code("noSuchUser")
    /// The secret link, or the link for an account, does not exist, has expired or was used.
    package static let noSuchLink = Code("noSuchLink")
    /// The post does not exist.
    package static let noSuchPost = Code("noSuchPost")
    /// The comment does not exist.
    package static let noSuchComment = Code("noSuchComment")
    /// The upload does not exist, has expired or was cancelled.
    package static let noSuchUpload = Code("noSuchUpload")
    /// The bytes do not begin where the upload ends, or they are more than it still needs.
    package static let wrongOffset = Code("wrongOffset")
    /// The person has too many unfinished uploads.
    package static let tooManyUploads = Code("tooManyUploads")
    /// The album does not exist.
    package static let noSuchAlbum = Code("noSuchAlbum")
    /// The user does not have permission.
    package static let notAllowed = Code("notAllowed")
    /// A caption or a comment that breaks the rules for texts.
    package static let badText = Code("badText")
    /// Another post has the same photo; `post` is its id.
    package static let alreadyPosted = Code("alreadyPosted")
    /// A time when no photo can have been taken.
    package static let badDate = Code("badDate")
    /// The properties given for a photo are not valid.
    package static let badPhoto = Code("badPhoto")
    /// The file is not a photo in a supported format.
    package static let unknownFormat = Code("unknownFormat")
    /// Photos cannot be decoded in a sandbox on this system.
    package static let sandboxFailed = Code("sandboxFailed")
    /// The photo has more bytes or pixels than are allowed.
    package static let photoTooLarge = Code("photoTooLarge")

    /// The photos of a user would take more bytes than they may.
    package static let quotaExceeded = Code("quotaExceeded")

    /// The text is not a valid kennel address.
    package static let badAddress = Code("badAddress")
    /// Another kennel could not be reached, or the connection failed too often.
    package static let unreachable = Code("unreachable")
    /// The store of the photos could not be reached, or refused a request.
    package static let storeUnavailable = Code("storeUnavailable")
    /// Another kennel's response is not valid.
    package static let badPeer = Code("badPeer")
    /// The file is not a valid or complete backup.
    package static let badBackup = Code("badBackup")

    /// The name of the code.
    package var description: String { name }
  }

  /// The kind of error.
  package var code: Code
  /// Whether a row exists already.
  package var isDuplicate = false
  /// Whether a row refers to another row that does not exist.
  package var isMissingReference = false
  /// Whether the transaction had no effect because of another one or of the connection, and may be tried again.
  var mayRepeat = false
  /// Whether the connection was lost in the commit, so that it is not known whether the transaction had an effect.
  var mayBeCommitted = false
  /// Whether the database could not be reached, so that the description names it, and is for the owner only.
  package var isUnreachable = false
  /// Whether SQLite gave up to find out which changes are in the log.
  var isLockingProtocol = false
  /// The underlying C error number, or 0 if there is none.
  package var errno: Int32
  /// The number of seconds until the next attempt is allowed, for `tooManyAttempts`.
  package var secondsToWait: Int?
  /// The post that already exists, for `alreadyPosted`.
  package var post: Int64?
  /// The message of an underlying program, for diagnosis. It is nil if there is nothing to add.
  package var cause: String?
  /// A message that explains what happened and what to do.
  package var description: String
  /// The same as ``description``.
  package var errorDescription: String? { description }

  package init(
    _ code: Code, _ description: String, errno: Int32 = 0, secondsToWait: Int? = nil,
    post: Int64? = nil, cause: String? = nil
  ) {
    self.code = code
    self.errno = errno
    self.secondsToWait = secondsToWait
    self.post = post
    self.cause = cause
    self.description = description
  }

  /// Returns the error for a failed system call on a file. `doing` is a clause such as "A file could not be written".
  package static func file(_ doing: String, path: String, errno number: Int32) -> KennelError {
    let code: Code
    let advice: String
    switch number {
    case ENOSPC, EDQUOT, EFBIG: (code, advice) = (.diskFull, "Free some space, then try again.")
    case EACCES, EPERM, EROFS: (code, advice) = (.notWritable, "Give Kennel's user write permission.")
    case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: (code, advice) = (.cannotOpen, "Check the path.")
    default: (code, advice) = (.inputOutput, "Run kennel check.")
    }
    let reason = String(cString: strerror(number))
    return KennelError(code, "\(doing) at \(path): \(reason). \(advice)", errno: number)
  }

  package static let cancelled = KennelError(.cancelled, "The operation was cancelled before it began.")
  /// - Parameter cause: what the store or the connection reported, for the owner.
  package static func storeUnavailable(cause: String) -> KennelError {
    KennelError(
      .storeUnavailable,
      "The store of the photos cannot be reached. Nothing was lost. Try again in a moment.",
      cause: cause)
  }

  package static let closed = KennelError(
    .closed, "Kennel is shutting down. Try again when it has restarted.")
  /// - Parameter post: the post that has the photo.
  package static func alreadyPosted(_ post: Int64) -> KennelError {
    KennelError(.alreadyPosted, "The photo was already shared.", post: post)
  }

  package static let noSuchUser = KennelError(.noSuchUser, "The user does not exist.")
}
