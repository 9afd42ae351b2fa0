import SwiftSyntax

/// Recognizes parameters that say on which queue a handler is called. An async function needs none: its caller resumes
/// where it runs.
enum CallbackQueue {
  private static let types: Set<String> = ["DispatchQueue", "OperationQueue"]
  private static let words = [
    "callback", "completion", "response", "result", "delivery", "handler", "deliver",
  ]

  /// Returns whether a parameter is such a queue and can be left out: it has a default value, or is optional.
  static func isOne(_ parameter: FunctionParameterSyntax) -> Bool {
    guard let type = (parameter.type.wrappedOptional ?? parameter.type).plainName, types.contains(type),
      parameter.defaultValue != nil
    else { return false }
    let names = [parameter.label.lowercased(), parameter.internalName.lowercased()]
    return names.contains { name in
      name == "queue" || (name.contains("queue") && words.contains { name.contains($0) })
    }
  }
}
