#if !canImport(Darwin)
  extension URLSession {
    /// What to do about a challenge.
    public enum AuthChallengeDisposition: Int, Sendable {
      /// Use the credential that is given with the answer; with `nil`, go on without one.
      case useCredential = 0

      /// Do what would be done if nobody had been asked: use a known credential, else deliver the refusal.
      case performDefaultHandling = 1

      /// Give the request up; it fails with `URLError.cancelled`.
      case cancelAuthenticationChallenge = 2

      /// Ask again with the next protection space that the server offered.
      case rejectProtectionSpace = 3
    }
  }
#endif
