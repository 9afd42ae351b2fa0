import KennelModel

/// The pages with which people join, and the words for roles.
struct JoinWords: Sendable {
  let welcomeOwner, firstOwner, createAccount, join, newPassword, setPassword, invited: String
  let joinSite: TextOf<String>
  let invitedBy, passwordFor: MarkupOf<HTML>
  /// The end of a sentence about an invitation.
  let invitation: TextOf<User.Role>
  let passwordHint: TextOf<Int>
  let repeatPassword, yourName, nameHint, showPassword, linkDoesNotWork: String
  let welcome: String
  let welcomeNamed: MarkupOf<HTML>
  let nextSteps: String
  let inviteOthers, sharePhotos, homeScreen: HTML
  let otherDevice: MarkupOf<HTML>
  let newPasswordLink, newInvitation, sendInvitation: String
  let sendPasswordLink: MarkupOf<HTML>
  let worksOnce: TextOf<String>
  let link, sendLink, copyLink, linkCode: String
  let role: TextOf<User.Role>
  let newKennel: String
  let noAccounts: HTML
  let noAccountsLink: String
}

/// The page of one's own account.
struct YouWords: Sendable {
  let changeName, passwordTitle, presentPassword, newPassword, repeatNewPassword, changePassword: String
  let picture, choosePicture, setPicture, removePicture: String
  /// The maximum size of a file.
  let pictureHint: TextOf<String>
  /// What users with a role can do.
  let role: TextOf<User.Role>
  let passwordHint: TextOf<Int>
  let language, languageHint, asBrowser, changeLanguage: String
  let feed, makeAddress, turnOffFeed, makeNewAddress: String
  let feedExplanation: TextOf<Int>
  let feedMade: MarkupOf<HTML>
  let feedAddress, newFeedExplanation, address, copyAddress: String
  let space: String
  /// What the user's photos take.
  let photosTake: TextOf<String>
  let devices, noDevice, browser, thisDevice, thisDeviceEnding, signOutOthers: String
  let lastUsed, fromAddress: MarkupOf<HTML>
  /// The name of a device, which is stored in English.
  let device: TextOf<String>
  let pictureChanged: String
  let nameChanged, passwordChanged, languageChanged, deviceSignedOut, devicesSignedOut, feedOff: String
  let notPresentPassword, passwordsDiffer: String
}

/// The pages about people, for owners.
struct PeopleWords: Sendable {
  let personCount: TextOf<Int>
  let inviteSomebody, inviteHint, validFor, makeLink: String
  let dayCount: TextOf<Int>
  let isViewer: String
  /// A role, and the day on which the account was made.
  let since: @Sendable (User.Role, String) -> String
  let change, openInvitations: String
  let until, madeAtTerminal: String
  let madeBy: MarkupOf<HTML>
  let revoke: String
  /// A role, and the last day of the invitation.
  let revokedInvitation: @Sendable (User.Role, String) -> String
  let roleTitle: String
  let abilities: TextOf<User.Role>
  let whatYouCan, whatPersonCan, changeRole, forgottenPassword, removeTitle, remove: String
  let resetHint, confirmRemoval: MarkupOf<HTML>
  let photosAndComments: String
  /// The numbers of photos and of comments. At least one of them is not zero.
  let belongings: @Sendable (Int, Int) -> String
  let keep, removeToo: TextOf<String>
  let storage, littleSpace: String
  let photosUse: TextOf<String>
  /// The free and the total space of the disk.
  let freeSpace: @Sendable (String, String) -> String
  /// What the photos of a person take, and what they may take, if that is limited.
  let usage: @Sendable (String, String?) -> String
  /// The end of a line about a person.
  let photosTake: TextOf<String>
  let spaceTitle, spaceQuestion, noLimit, withoutLimit, upToSize, maximumSize, sizeHint: String
  let changeSpace, spaceChanged: String
  /// What the photos of a person take, and the quota of everyone.
  let personTakes, likeEveryone: TextOf<String>
  let pictureTitle, removePicture, pictureRemoved: String
  /// Explains why an owner may remove a picture.
  let pictureHint: MarkupOf<HTML>
  let roleChanged, accountRemoved, invitationRevoked: String
}

/// Errors. What went wrong is described in English below the pages, so another language translates the sentences.
struct ProblemWords: Sendable {
  /// The title of a status, or nil if it has none.
  let title: @Sendable (Int) -> String?
  let error: String
  /// Translates a sentence. It is in the language of the page in any case: a sentence that is not known is replaced by a general
  /// one for the status.
  let sentence: @Sendable (_ english: String, _ status: Int) -> String
}
