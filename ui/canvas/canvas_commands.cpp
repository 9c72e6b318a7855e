#include "ui/canvas/canvas_commands.hpp"

#include "plugin/base/error.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/navigation.hpp"

#include <QKeyEvent>
#include <QStringList>

namespace lowtide::ui {

namespace {

template <auto kSlot>
void call(GraphView& view) {
    (view.*kSlot)();
}

template <FocusDirection kDirection>
void moveFocus(GraphView& view) {
    view.moveFocus(static_cast<int>(kDirection));
}

template <FocusDirection kDirection>
void moveAlongWires(GraphView& view) {
    view.moveAlongWires(static_cast<int>(kDirection));
}

template <int kNumber>
void keepBookmark(GraphView& view) {
    view.keepBookmark(kNumber);
}

template <int kNumber>
void goToBookmark(GraphView& view) {
    view.goToBookmark(kNumber);
}

constexpr CanvasCommand kCommands[] = {
    {"edit.cut", "Ctrl+X", call<&GraphView::cut>},
    {"edit.copy", "Ctrl+C", call<&GraphView::copy>},
    {"edit.paste", "Ctrl+V", call<&GraphView::paste>},
    {"edit.paste_wires", "Ctrl+Shift+V", call<&GraphView::pasteWithWires>},
    {"edit.duplicate", "Ctrl+D", call<&GraphView::duplicate>},
    {"edit.duplicate_wires", "Ctrl+Shift+D", call<&GraphView::duplicateWithWires>},
    {"edit.delete", "Del Backspace", call<&GraphView::removeSelected>},
    {"edit.delete_join", "Ctrl+Del", call<&GraphView::removeSelectedJoining>},
    {"edit.select_all", "Ctrl+A", call<&GraphView::selectAllNodes>},
    {"node.add", "Tab", call<&GraphView::openSearch>},
    {"node.edit", "Return Enter", call<&GraphView::editSelected>},
    {"node.wire", "C", call<&GraphView::wireSelected>},
    {"node.rename", "F2", call<&GraphView::renameSelected>},
    {"node.mute", "Ctrl+M", call<&GraphView::muteSelected>},
    {"node.bypass", "Ctrl+B", call<&GraphView::bypassSelected>},
    {"node.collapse", "Alt+C", call<&GraphView::collapseSelected>},
    {"node.pin", "P", call<&GraphView::pinSelected>},
    {"node.frame", "Ctrl+G", call<&GraphView::frameSelected>},
    {"node.note", "Ctrl+Shift+N", call<&GraphView::addNote>},
    {"node.arrange", "Ctrl+L", call<&GraphView::arrangeNodes>},
    {"view.zoom_in", "Ctrl++ Ctrl+=", call<&GraphView::zoomIn>},
    {"view.zoom_out", "Ctrl+-", call<&GraphView::zoomOut>},
    {"view.zoom_actual", "Ctrl+1", call<&GraphView::zoomToActual>},
    {"view.fit_selected", "F .", call<&GraphView::zoomToSelected>},
    {"view.fit_all", "Home", call<&GraphView::zoomToAll>},
    {"view.back", "[", call<&GraphView::goBack>},
    {"view.forward", "]", call<&GraphView::goForward>},
    {"view.bookmark_1", "1", goToBookmark<1>},
    {"view.bookmark_2", "2", goToBookmark<2>},
    {"view.bookmark_3", "3", goToBookmark<3>},
    {"view.bookmark_4", "4", goToBookmark<4>},
    {"view.bookmark_5", "5", goToBookmark<5>},
    {"view.bookmark_6", "6", goToBookmark<6>},
    {"view.bookmark_7", "7", goToBookmark<7>},
    {"view.bookmark_8", "8", goToBookmark<8>},
    {"view.bookmark_9", "9", goToBookmark<9>},
    {"view.keep_bookmark_1", "Ctrl+Shift+1", keepBookmark<1>},
    {"view.keep_bookmark_2", "Ctrl+Shift+2", keepBookmark<2>},
    {"view.keep_bookmark_3", "Ctrl+Shift+3", keepBookmark<3>},
    {"view.keep_bookmark_4", "Ctrl+Shift+4", keepBookmark<4>},
    {"view.keep_bookmark_5", "Ctrl+Shift+5", keepBookmark<5>},
    {"view.keep_bookmark_6", "Ctrl+Shift+6", keepBookmark<6>},
    {"view.keep_bookmark_7", "Ctrl+Shift+7", keepBookmark<7>},
    {"view.keep_bookmark_8", "Ctrl+Shift+8", keepBookmark<8>},
    {"view.keep_bookmark_9", "Ctrl+Shift+9", keepBookmark<9>},
    {"view.pan", "Space", call<&GraphView::openSearch>, true},
    {"view.walk_left", "Left", moveFocus<FocusDirection::Left>},
    {"view.walk_right", "Right", moveFocus<FocusDirection::Right>},
    {"view.walk_up", "Up", moveFocus<FocusDirection::Up>},
    {"view.walk_down", "Down", moveFocus<FocusDirection::Down>},
    {"view.wires_left", "Alt+Left", moveAlongWires<FocusDirection::Left>},
    {"view.wires_right", "Alt+Right", moveAlongWires<FocusDirection::Right>},
    {"view.wires_up", "Alt+Up", moveAlongWires<FocusDirection::Up>},
    {"view.wires_down", "Alt+Down", moveAlongWires<FocusDirection::Down>},
};

/// Signs that a keyboard may give only with Shift: "+" is "Ctrl++" with and without it.
bool mayNeedShift(int key) {
    const bool isLetter = key >= Qt::Key_A && key <= Qt::Key_Z;
    return key > Qt::Key_Space && key <= Qt::Key_ydiaeresis && !isLetter;
}

}  // namespace

std::span<const CanvasCommand> canvasCommands() {
    return kCommands;
}

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
