#include "ui/canvas/canvas_keys.hpp"

#include "plugin/base/error.hpp"

#include <QKeyEvent>
#include <QStringList>

namespace lowtide::ui {

namespace {

/// Signs that a keyboard may give only with Shift: "+" is "Ctrl++" with and without it.
bool mayNeedShift(int key) {
    const bool isLetter = key >= Qt::Key_A && key <= Qt::Key_Z;
    return key > Qt::Key_Space && key <= Qt::Key_ydiaeresis && !isLetter;
}

}  // namespace

CanvasKeys::CanvasKeys() {
    for (const CanvasCommand& command : canvasCommands()) {
        keys_[command.id] = keysFromText(QString::fromLatin1(command.keys));
    }
}

void CanvasKeys::set(const std::string& command, const QList<QKeySequence>& keys) {
    const auto found = keys_.find(command);
    LOWTIDE_ASSERT(found != keys_.end());
    found->second = keys;
}

const CanvasCommand* CanvasKeys::commandOf(const QKeyEvent& event) const {
    const auto key = static_cast<Qt::Key>(event.key());
    const Qt::KeyboardModifiers modifiers =
        event.modifiers() & ~(Qt::KeypadModifier | Qt::GroupSwitchModifier);
    QList<QKeySequence> pressed{QKeySequence(QKeyCombination(modifiers, key))};
    if (modifiers.testFlag(Qt::ShiftModifier) && mayNeedShift(key)) {
        pressed.append(QKeySequence(QKeyCombination(modifiers & ~Qt::ShiftModifier, key)));
    }
    for (const QKeySequence& sequence : pressed) {
        for (const CanvasCommand& command : canvasCommands()) {
            if (keys_.at(command.id).contains(sequence)) {
                return &command;
            }
        }
    }
    return nullptr;
}

QList<QKeySequence> keysFromText(const QString& text) {
    QList<QKeySequence> keys;
    for (const QString& key : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        keys.append(QKeySequence(key, QKeySequence::PortableText));
    }
    return keys;
}

}  // namespace lowtide::ui
