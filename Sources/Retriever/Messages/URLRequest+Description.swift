#if !canImport(Darwin)
import Foundation

extension URLRequest: CustomReflectable {
  /// The URL, without the name and password in it.
  public var description: String { shownURL?.description ?? "url: nil" }

  /// The same as `description`.
  public var debugDescription: String { description }

  private var shownURL: URL? { url.flatMap(Redaction.withoutCredentials) }

  /// The properties, for debuggers and `dump`. Credentials (authorization, cookies, a name and password in the URL)
  /// are not shown.
  public var customMirror: Mirror {
    let shownFields = headerFields.entries.map { entry in
      entry.name + ": " + (SensitiveNames.containsHeader(entry.name) ? "(not shown)" : entry.value)
    }
    return Mirror(
      self,
      children: [
        (label: "url", value: shownURL as Any),
        (label: "httpMethod", value: httpMethod as Any),
        (label: "headerFields", value: shownFields),
        (label: "httpBody", value: httpBody as Any),
        (label: "httpBodyStream", value: httpBodyStream as Any),
        (label: "cachePolicy", value: cachePolicy),
        (label: "timeoutInterval", value: timeoutInterval),
        (label: "mainDocumentURL", value: mainDocumentURL.flatMap(Redaction.withoutCredentials) as Any),
        (label: "networkServiceType", value: networkServiceType),
        (label: "attribution", value: attribution),
        (label: "allowsCellularAccess", value: allowsCellularAccess),
        (label: "allowsExpensiveNetworkAccess", value: allowsExpensiveNetworkAccess),
        (label: "allowsConstrainedNetworkAccess", value: allowsConstrainedNetworkAccess),
        (label: "assumesHTTP3Capable", value: assumesHTTP3Capable),
        (label: "requiresDNSSECValidation", value: requiresDNSSECValidation),
        (label: "allowsPersistentDNS", value: allowsPersistentDNS),
        (label: "httpShouldHandleCookies", value: httpShouldHandleCookies),
        (label: "httpShouldUsePipelining", value: httpShouldUsePipelining),
      ],
      displayStyle: .struct)
  }
}
#endif
