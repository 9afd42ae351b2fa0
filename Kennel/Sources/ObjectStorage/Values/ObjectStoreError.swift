import Foundation

/// An error of an object store, or of a request to it. It contains no secret.
package struct ObjectStoreError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
  /// The kind of an error. Later versions may add more.
  package struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String
    private init(_ name: String) { self.name = name }

    /// The address of the store is not valid.
    package static let badAddress = Code("badAddress")
    /// The name of an object is not valid.
    package static let badKey = Code("badKey")
    /// There are no credentials.
    package static let noCredentials = Code("noCredentials")
    /// The store does not accept the credentials, or they lack a permission.
    package static let notAllowed = Code("notAllowed")
    /// The clocks of this machine and of the store differ too much.
    package static let wrongClock = Code("wrongClock")
    /// The bucket does not exist.
    package static let noSuchBucket = Code("noSuchBucket")
    /// The object does not exist.
    package static let noSuchObject = Code("noSuchObject")
    /// An object with the name exists already, or it has changed since it was read.
    package static let conditionFailed = Code("conditionFailed")
    /// The object does not have the requested range.
    package static let badRange = Code("badRange")
    /// The bytes differ from their checksum.
    package static let damaged = Code("damaged")
    /// The store could not be reached, or the connection was lost too often.
    package static let unreachable = Code("unreachable")
    /// The store refused the request for now, too often.
    package static let busy = Code("busy")
    /// The response is not that of an S3-compatible store.
    package static let badResponse = Code("badResponse")
    /// The object is too large.
    package static let tooLarge = Code("tooLarge")
    /// The store refused the request for another reason.
    package static let refused = Code("refused")
    /// The call was cancelled.
    package static let cancelled = Code("cancelled")

    /// The name of the code.
    package var description: String { name }
  }

  /// The kind of error.
  package var code: Code
  /// The status of the response, or 0 if there was none.
  package var status: Int
  /// The store's own code, such as `NoSuchKey`.
  package var storeCode: String?
  /// The store's identifier of the request, for its operator.
  package var requestID: String?
  /// What happened, and what to do.
  package var description: String
  /// The same as ``description``.
  package var errorDescription: String? { description }

  package init(
    _ code: Code, _ description: String, status: Int = 0, storeCode: String? = nil, requestID: String? = nil
  ) {
    self.code = code
    self.description = description
    self.status = status
    self.storeCode = storeCode
    self.requestID = requestID
  }

  static let cancelled = ObjectStoreError(.cancelled, "The operation was cancelled.")
}
