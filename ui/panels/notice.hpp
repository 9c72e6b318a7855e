#pragma once

#include "ui/panels/fixes.hpp"

#include <QFrame>

class QLabel;

namespace lowtide::ui {

/// A sentence on a soft ground, with changes of the graph as buttons.
class Notice : public QFrame {
    Q_OBJECT

public:
    enum class Tone { Info, Warning, Error };

    explicit Notice(const char* name, QWidget* parent = nullptr);
    /// Hidden when the text is empty. The same once more changes nothing: a button that is pressed,
    /// or has the focus, stays.
    void tell(Tone tone, const QString& text, std::vector<Fix> fixes = {});

Q_SIGNALS:
    void fixChosen(const lowtide::ui::Fix& fix);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Tone tone_ = Tone::Info;
    QLabel* text_;
    QWidget* buttons_;
    std::vector<Fix> fixes_;
};

}  // namespace lowtide::ui
