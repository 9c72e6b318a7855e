#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QWidget>

namespace lowtide::ui {

/// What the window shows while there is no engine: that it starts, or why it did not.
class StartPage : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(QWidget* parent = nullptr);

    void showStarting();
    /// The texts of the page in the language of the program.
    void retranslate();
    /// `canEdit`: graphs can be edited without the engine.
    void showRefused(const QString& message, const QString& hint, bool canEdit);

Q_SIGNALS:
    void againAsked();
    void withoutAsked();

private:
    bool isRefused_ = false;
    QLabel* title_;
    QLabel* message_;
    QLabel* hint_;
    QProgressBar* progress_;
    QPushButton* again_;
    QPushButton* without_;
};

}  // namespace lowtide::ui
