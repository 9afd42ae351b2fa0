/// The parts of SARIF 2.1.0 that adopt writes: the format of findings for code scanners. The names are those of the
/// standard.
struct SARIF: Encodable {
  struct Message: Encodable {
    var text: String
    var markdown: String?

    init(_ text: String, markdown: String? = nil) {
      self.text = text
      self.markdown = markdown
    }
  }

  struct ArtifactLocation: Encodable {
    var uri: String
    var uriBaseId: String?
  }

  struct Region: Encodable {
    var startLine: Int
    var startColumn: Int
    var endLine: Int?
    var endColumn: Int?
    var snippet: Content?
  }

  struct Content: Encodable {
    var text: String
  }

  struct PhysicalLocation: Encodable {
    var artifactLocation: ArtifactLocation
    var region: Region
  }

  struct LogicalLocation: Encodable {
    var fullyQualifiedName: String
    var kind = "function"
  }

  struct Location: Encodable {
    var id: Int?
    var physicalLocation: PhysicalLocation
    var logicalLocations: [LogicalLocation]?
    var message: Message?
  }

  struct ThreadFlowLocation: Encodable {
    var location: Location
    var executionOrder: Int
    var importance = "essential"
  }

  struct ThreadFlow: Encodable {
    var locations: [ThreadFlowLocation]
  }

  struct CodeFlow: Encodable {
    var threadFlows: [ThreadFlow]
  }

  struct Replacement: Encodable {
    var deletedRegion: Region
    var insertedContent: Content
  }

  struct ArtifactChange: Encodable {
    var artifactLocation: ArtifactLocation
    var replacements: [Replacement]
  }

  struct Fix: Encodable {
    var description: Message
    var artifactChanges: [ArtifactChange]
  }

  struct Result: Encodable {
    var ruleId: String
    var ruleIndex: Int
    var level = "warning"
    var kind = "fail"
    var message: Message
    var locations: [Location]
    var relatedLocations: [Location]?
    var codeFlows: [CodeFlow]?
    var fixes: [Fix]?
    var partialFingerprints: [String: String]
    var baselineState: String?
  }

  struct Configuration: Encodable {
    var level = "warning"
  }

  struct Properties: Encodable {
    var precision = "high"
    var tags: [String]

    enum CodingKeys: String, CodingKey {
      case precision, tags
      case severity = "problem.severity"
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(precision, forKey: .precision)
      try container.encode(tags, forKey: .tags)
      try container.encode("warning", forKey: .severity)
    }
  }

  struct Rule: Encodable {
    var id: String
    var name: String
    var shortDescription: Message
    var fullDescription: Message
    var help: Message
    var defaultConfiguration = Configuration()
    var properties: Properties
  }

  struct Driver: Encodable {
    var name: String
    var semanticVersion: String
    var rules: [Rule]
  }

  struct Tool: Encodable {
    var driver: Driver
  }

  struct Notification: Encodable {
    var level = "error"
    var message: Message
    var locations: [NotificationLocation]
  }

  /// The location of a complete file.
  struct NotificationLocation: Encodable {
    struct Physical: Encodable {
      var artifactLocation: ArtifactLocation
    }

    var physicalLocation: Physical
  }

  struct Invocation: Encodable {
    var executionSuccessful: Bool
    var toolExecutionNotifications: [Notification]
  }

  struct Run: Encodable {
    var tool: Tool
    var invocations: [Invocation]
    var originalUriBaseIds: [String: ArtifactLocation]
    var columnKind = "utf16CodeUnits"
    var results: [Result]
  }

  var schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
  var version = "2.1.0"
  var runs: [Run]

  enum CodingKeys: String, CodingKey {
    case schema = "$schema"
    case version, runs
  }
}
