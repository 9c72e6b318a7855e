#pragma once

#include <QObject>

namespace lowtide {

/// Keeps what the handlers of our widgets throw out of the host: the application is the host's, and
/// its notify() knows nothing of our exceptions. `root` and all that lies below it are guarded as
/// long as they live; what is caught goes to Failures. GUI thread only.
void guardEvents(QObject& root);

}  // namespace lowtide
