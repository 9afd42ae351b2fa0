#if !canImport(Darwin)
import Foundation

// Other threads change what these objects hold, and some of it is secret. So `dump`, debuggers and the messages of failed
// tests see no stored property of them: reading one without its lock could crash the program.

extension URLSession: CustomReflectable {
  /// A mirror without children: what a session holds changes at any time, and may be secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension URLSessionConfiguration: CustomReflectable {
  /// A mirror without children: what a configuration holds may be secret, for example additional fields.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension URLSessionTask: CustomReflectable {
  /// A mirror that only has the task's number: the rest of a task changes at any time, and may be secret.
  public var customMirror: Mirror { Mirror(self, children: ["taskIdentifier": taskIdentifier]) }
}

extension URLProtocol: CustomReflectable {
  /// A mirror without children: what a load holds changes at any time, and may be secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TransferExecutor: CustomReflectable {
  /// A mirror without children: what an executor holds changes at any time.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension URLCache: CustomReflectable {
  /// A mirror without children: what a cache holds changes at any time, and may be secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension CachedURLResponse: CustomReflectable {
  /// A mirror without children: the body and the fields of a response may be secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPCookieStorage: CustomReflectable {
  /// A mirror without children: the cookies of a storage change at any time, and are secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPCookie: CustomReflectable {
  /// A mirror without the cookie's value, which is secret.
  public var customMirror: Mirror { Mirror(self, children: ["name": name, "domain": domain, "path": path]) }
}

extension URLCredentialStorage: CustomReflectable {
  /// A mirror without children: the credentials of a storage change at any time, and are secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TrafficArchive: CustomReflectable {
  /// A mirror without children: what an archive holds changes at any time.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
