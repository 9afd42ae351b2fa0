extension JSONText {
  /// Writes the identity and the ancestors of a kennel.
  mutating func kennel(_ lineage: KennelLineage) {
    object("kennel") { json in
      json.member("id", lineage.identity.description)
      json.array("was") { json in
        for ancestor in lineage.ancestors {
          json.object { json in
            json.member("id", ancestor.identity.description)
            json.member("through", ancestor.through)
          }
        }
      }
    }
  }
}
