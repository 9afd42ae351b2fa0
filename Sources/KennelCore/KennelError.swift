import Glibc

/// What went wrong with what Kennel keeps, or with what it was asked for.
package struct KennelError: Error, Sendable, CustomStringConvertible {
  /// The kinds of errors; more may come.
  package struct Code: Sendable, Hashable {
    private let name: String
    private init(_ name: String) { self.name = name }

    /// A file or directory, or the database, cannot be opened or made.
    package static let cannotOpen = Code("cannotOpen")
    /// There is no space left.
    package static let diskFull = Code("diskFull")
    /// Something may be read but not written.
    package static let notWritable = Code("notWritable")
    /// A file, or the database, could not be read or written.
    package static let inputOutput = Code("inputOutput")
    /// The database's file is not what it ought to be.
    package static let damaged = Code("damaged")
    /// The database was written by a later Kennel.
    package static let newerSchema = Code("newerSchema")
    /// The database belongs to another program.
    package static let foreignDatabase = Code("foreignDatabase")
    /// Another program holds the database, or too much work is waiting already: worth another try.
    package static let busy = Code("busy")
    /// A rule of the database would have been broken.
    package static let constraint = Code("constraint")
    /// SQLite or the system refused for another reason.
    package static let failed = Code("failed")
    /// What was asked for was cancelled before it began.
    package static let cancelled = Code("cancelled")
    /// The store was closed.
    package static let closed = Code("closed")

    /// A user's name that breaks the rules for names.
    package static let badName = Code("badName")
    /// A name that somebody has.
    package static let nameTaken = Code("nameTaken")
    /// A password that breaks the rules for passwords.
    package static let badPassword = Code("badPassword")
    /// The name or the password is wrong; which of them is not said.
    package static let wrongCredentials = Code("wrongCredentials")
    /// Too many attempts to sign in; `secondsToWait` says when the next one is heard.
    package static let tooManyAttempts = Code("tooManyAttempts")
    /// There is no such user.
    package static let noSuchUser = Code("noSuchUser")
    /// There is no such post.
    package static let noSuchPost = Code("noSuchPost")
    /// There is no such comment.
    package static let noSuchComment = Code("noSuchComment")
    /// The user may not do that.
    package static let notAllowed = Code("notAllowed")
    /// A caption or a comment that breaks the rules for texts.
    package static let badText = Code("badText")
    /// What is said of a photo cannot be true.
    package static let badPhoto = Code("badPhoto")
    /// Bytes that are no photo of a kind that is taken in.
    package static let unknownFormat = Code("unknownFormat")
    /// A photo that has more bytes or pixels than are allowed.
    package static let photoTooLarge = Code("photoTooLarge")

    /// What cannot be another kennel's address.
    package static let badAddress = Code("badAddress")
    /// Another kennel could not be reached, or was lost too often.
    package static let unreachable = Code("unreachable")
    /// Another kennel's answer is none that a kennel gives.
    package static let badPeer = Code("badPeer")
    /// A file is no backup, or not a whole one.
    package static let badBackup = Code("badBackup")
  }

  /// The kind of error.
  package var code: Code
  /// SQLite's extended result code; 0 when SQLite had no part in it.
  package var sqliteCode: Int32
  /// The C error number below it; 0 when there is none.
  package var errno: Int32
  /// How long to wait before the next attempt, for `tooManyAttempts`.
  package var secondsToWait: Int?
  /// What a program below said, for who looks into it; nil when there is nothing to add.
  package var cause: String?
  /// A sentence a person can act on.
  package var description: String

  init(
    _ code: Code, _ description: String, sqliteCode: Int32 = 0, errno: Int32 = 0, secondsToWait: Int? = nil,
    cause: String? = nil
  ) {
    self.code = code
    self.sqliteCode = sqliteCode
    self.errno = errno
    self.secondsToWait = secondsToWait
    self.cause = cause
    self.description = description
  }

  /// What a system call on a file said: `doing` is a clause such as "A file could not be written".
  static func file(_ doing: String, path: String, errno number: Int32) -> KennelError {
    let code: Code
    let advice: String
    switch number {
    case ENOSPC, EDQUOT, EFBIG: (code, advice) = (.diskFull, "Free some space, then try again.")
    case EACCES, EPERM, EROFS: (code, advice) = (.notWritable, "Let Kennel's user write there.")
    case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: (code, advice) = (.cannotOpen, "Check the path.")
    default: (code, advice) = (.inputOutput, "Run kennel check.")
    }
    let reason = String(cString: strerror(number))
    return KennelError(code, "\(doing) at \(path): \(reason). \(advice)", errno: number)
  }

  static let cancelled = KennelError(.cancelled, "This was cancelled before it began.")
  static let closed = KennelError(.closed, "Kennel is shutting down; try again when it is back.")
}
