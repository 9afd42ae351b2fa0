import Foundation

/// The key pair that signs requests. Its descriptions do not contain the secret.
package struct StoreCredentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The public part of the key pair.
  package var accessKey: String
  /// The secret part of the key pair.
  package var secretKey: String
  /// The token of temporary credentials.
  package var sessionToken: String?

  package init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.sessionToken = sessionToken
  }

  /// The access key only.
  package var description: String { "credentials \(accessKey)" }
  /// The access key only.
  package var customMirror: Mirror { Mirror(self, children: ["accessKey": accessKey]) }

  /// Returns the credentials in the environment variables that other programs use too: `AWS_ACCESS_KEY_ID`,
  /// `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`. Without them, reads the file `AWS_SHARED_CREDENTIALS_FILE`
  /// (default: `~/.aws/credentials`) and its profile `AWS_PROFILE` (default: `default`).
  package static func find(
    in environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ObjectStoreError) -> StoreCredentials {
    let access = environment["AWS_ACCESS_KEY_ID"] ?? ""
    let secret = environment["AWS_SECRET_ACCESS_KEY"] ?? ""
    if !access.isEmpty, !secret.isEmpty {
      return StoreCredentials(
        accessKey: access, secretKey: secret, sessionToken: environment["AWS_SESSION_TOKEN"].nonEmpty)
    }
    guard access.isEmpty, secret.isEmpty else {
      throw ObjectStoreError(
        .noCredentials, "Only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set. Set both.")
    }
    let named = environment["AWS_SHARED_CREDENTIALS_FILE"].nonEmpty
    guard let path = named ?? environment["HOME"].nonEmpty.map({ $0 + "/.aws/credentials" }) else {
      throw missing
    }
    if named == nil, !FileManager.default.fileExists(atPath: path) { throw missing }
    return try read(path, profile: environment["AWS_PROFILE"].nonEmpty ?? "default")
  }

  /// Reads the credentials of a profile from a file with sections such as `[default]` and lines such as
  /// `aws_access_key_id = …`.
  package static func read(_ path: String, profile: String = "default") throws(ObjectStoreError) -> Self {
    guard let handle = FileHandle(forReadingAtPath: path),
      let data = try? handle.read(upToCount: maximumFileSize + 1)
    else {
      throw ObjectStoreError(
        .noCredentials,
        "The file \(path) with the store's credentials could not be read. Check its permissions.")
    }
    guard data.count <= maximumFileSize else {
      throw ObjectStoreError(.noCredentials, "The file \(path) is too large for a file of credentials.")
    }
    guard let found = parse(String(decoding: data, as: UTF8.self), profile: profile) else {
      throw ObjectStoreError(
        .noCredentials,
        "The file \(path) has no aws_access_key_id and aws_secret_access_key in its section [\(profile)]. Add them."
      )
    }
    return found
  }

  private static let maximumFileSize = 1 << 20

  static func parse(_ text: String, profile: String) -> StoreCredentials? {
    var isInProfile = false
    var values: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("#") || line.hasPrefix(";") { continue }
      if line.hasPrefix("["), line.hasSuffix("]") {
        isInProfile = line.dropFirst().dropLast().trimmingCharacters(in: .whitespaces) == profile
      } else if isInProfile, let equals = line.firstIndex(of: "=") {
        let name = line[..<equals].trimmingCharacters(in: .whitespaces).lowercased()
        values[name] = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
      }
    }
    guard let access = values["aws_access_key_id"].nonEmpty,
      let secret = values["aws_secret_access_key"].nonEmpty
    else { return nil }
    return StoreCredentials(
      accessKey: access, secretKey: secret, sessionToken: values["aws_session_token"].nonEmpty)
  }

  private static let missing = ObjectStoreError(
    .noCredentials,
    "There are no credentials for the store. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write "
      + "~/.aws/credentials.")
}

extension String? {
  /// The text; nil if it is empty.
  var nonEmpty: String? { self?.isEmpty == false ? self : nil }
}
