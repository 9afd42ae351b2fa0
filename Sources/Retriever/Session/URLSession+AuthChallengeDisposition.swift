#if !canImport(Darwin)
extension URLSession {
  /// The possible answers to an authentication challenge.
  public enum AuthChallengeDisposition: Int, Sendable {
    /// Use the credential that comes with the answer; with `nil`, continue without a credential.
    case useCredential = 0

    /// Do what happens without a delegate: use a known credential, otherwise deliver the refusal.
    case performDefaultHandling = 1

    /// Cancel the request, which then fails with `URLError.cancelled`.
    case cancelAuthenticationChallenge = 2

    /// Ask again with the next protection space that the server offered.
    case rejectProtectionSpace = 3
  }
}
#endif
