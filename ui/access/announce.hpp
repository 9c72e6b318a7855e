#pragma once

#include <QString>

#include <functional>

class QAccessibleEvent;
class QWidget;

namespace lowtide::ui {

/// Whether anybody receives announcements: assistive technology, or a test that listens.
[[nodiscard]] bool isListenedTo();

/// Notifies assistive technology, or the test that listens in its place.
void announceAccess(QAccessibleEvent& event);

/// A test that listens; nullptr: no longer. Qt notifies its own handlers only where the platform's
/// accessibility is on, which a test cannot switch on.
void setTestListener(std::function<void(QAccessibleEvent&)> listener);

/// Polite waits until the screen reader has finished speaking; Urgent interrupts it.
enum class Urgency { Polite, Urgent };

/// Has assistive technology speak the sentence, on behalf of the widget. Costs nothing where none
/// listens. Qt 6.4 knows no such event: an Alert of the widget signals that there is something to
/// hear, and on Linux the signal that Qt sends from 6.8 on carries the words.
void announce(QWidget& speaker, const QString& sentence, Urgency urgency = Urgency::Polite);

/// What announce() announced last on behalf of the widget; empty: nothing.
[[nodiscard]] QString lastAnnounced(const QWidget& speaker);

}  // namespace lowtide::ui
