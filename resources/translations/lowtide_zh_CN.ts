<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>Undo the last step</source>
        <translation>撤销上一步</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Redo the step</source>
        <translation>重做这一步</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>剪切(&amp;T)</translation>
    </message>
    <message>
        <source>Remove the selected nodes and keep them as text</source>
        <translation>移除所选节点，并以文本保留在剪贴板</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>Keep the selected nodes as text</source>
        <translation>把所选节点以文本复制到剪贴板</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>粘贴(&amp;P)</translation>
    </message>
    <message>
        <source>Add what was copied</source>
        <translation>添加复制的内容</translation>
    </message>
    <message>
        <source>Paste with &amp;wires</source>
        <translation>连同连线粘贴(&amp;W)</translation>
    </message>
    <message>
        <source>Add what was copied, wired to what fed the originals</source>
        <translation>添加复制的内容，并连到原节点的来源</translation>
    </message>
    <message>
        <source>&amp;Duplicate</source>
        <translation>复制一份(&amp;D)</translation>
    </message>
    <message>
        <source>Add the selected nodes once more</source>
        <translation>再添加一份所选节点</translation>
    </message>
    <message>
        <source>Duplicate w&amp;ith wires</source>
        <translation>连同连线复制一份(&amp;I)</translation>
    </message>
    <message>
        <source>Add the selected nodes once more, wired to what feeds them</source>
        <translation>再添加一份所选节点，并连到相同的来源</translation>
    </message>
    <message>
        <source>De&amp;lete</source>
        <translation>删除(&amp;L)</translation>
    </message>
    <message>
        <source>Remove what is selected</source>
        <translation>移除所选内容</translation>
    </message>
    <message>
        <source>Delete and &amp;join</source>
        <translation>删除并接上(&amp;J)</translation>
    </message>
    <message>
        <source>Remove what is selected and join the wires that ran through it</source>
        <translation>移除所选内容，并接上穿过它的连线</translation>
    </message>
    <message>
        <source>Select &amp;all</source>
        <translation>全选(&amp;A)</translation>
    </message>
    <message>
        <source>Select every node</source>
        <translation>选中所有节点</translation>
    </message>
    <message>
        <source>&amp;Find a node...</source>
        <translation>查找节点(&amp;F)...</translation>
    </message>
    <message>
        <source>Go to a node by its name or a value in it</source>
        <translation>按名称或其中的值跳到节点</translation>
    </message>
    <message>
        <source>&amp;Settings...</source>
        <translation>设置(&amp;S)...</translation>
    </message>
    <message>
        <source>Folders, appearance, memory and what is asked once</source>
        <translation>文件夹、外观、显存和只问一次的选项</translation>
    </message>
    <message>
        <source>&amp;Keys...</source>
        <translation>快捷键(&amp;K)...</translation>
    </message>
    <message>
        <source>Show every key, and change it</source>
        <translation>查看并修改所有快捷键</translation>
    </message>
    <message>
        <source>&amp;Add a node...</source>
        <translation>添加节点(&amp;A)...</translation>
    </message>
    <message>
        <source>Search for a node and add it</source>
        <translation>搜索节点并添加</translation>
    </message>
    <message>
        <source>&amp;Edit the values</source>
        <translation>编辑数值(&amp;E)</translation>
    </message>
    <message>
        <source>Edit the first value of the selected node; Tab goes to the next</source>
        <translation>编辑所选节点的第一个值；按 Tab 到下一个</translation>
    </message>
    <message>
        <source>Add a &amp;wire...</source>
        <translation>添加连线(&amp;W)...</translation>
    </message>
    <message>
        <source>Choose the other end of a wire of the selected node</source>
        <translation>为所选节点的连线选择另一端</translation>
    </message>
    <message>
        <source>&amp;Rename</source>
        <translation>重命名(&amp;R)</translation>
    </message>
    <message>
        <source>Give the node another title</source>
        <translation>给节点换一个标题</translation>
    </message>
    <message>
        <source>&amp;Mute</source>
        <translation>禁用(&amp;M)</translation>
    </message>
    <message>
        <source>Leave the node and what depends on it out of runs</source>
        <translation>运行时跳过此节点以及依赖它的节点</translation>
    </message>
    <message>
        <source>&amp;Bypass</source>
        <translation>绕过(&amp;B)</translation>
    </message>
    <message>
        <source>Pass the value on as if the node were not there</source>
        <translation>让值直接通过，就像没有这个节点</translation>
    </message>
    <message>
        <source>&amp;Collapse</source>
        <translation>折叠(&amp;C)</translation>
    </message>
    <message>
        <source>Show only the title</source>
        <translation>只显示标题</translation>
    </message>
    <message>
        <source>&amp;Pin</source>
        <translation>固定(&amp;P)</translation>
    </message>
    <message>
        <source>Keep the node where it is</source>
        <translation>让节点留在原处</translation>
    </message>
    <message>
        <source>&amp;Frame</source>
        <translation>加框(&amp;F)</translation>
    </message>
    <message>
        <source>Draw a frame around the selected nodes</source>
        <translation>在所选节点周围画一个框</translation>
    </message>
    <message>
        <source>Add a n&amp;ote</source>
        <translation>添加便签(&amp;O)</translation>
    </message>
    <message>
        <source>Add a text to the canvas</source>
        <translation>在画布上添加文字</translation>
    </message>
    <message>
        <source>&amp;Left</source>
        <translation>左(&amp;L)</translation>
    </message>
    <message>
        <source>Align left edges</source>
        <translation>左边缘对齐</translation>
    </message>
    <message>
        <source>&amp;Centre</source>
        <translation>居中(&amp;C)</translation>
    </message>
    <message>
        <source>Align centres on a vertical line</source>
        <translation>中心对齐到一条竖线</translation>
    </message>
    <message>
        <source>&amp;Right</source>
        <translation>右(&amp;R)</translation>
    </message>
    <message>
        <source>Align right edges</source>
        <translation>右边缘对齐</translation>
    </message>
    <message>
        <source>&amp;Top</source>
        <translation>顶部(&amp;T)</translation>
    </message>
    <message>
        <source>Align upper edges</source>
        <translation>上边缘对齐</translation>
    </message>
    <message>
        <source>&amp;Middle</source>
        <translation>垂直居中(&amp;M)</translation>
    </message>
    <message>
        <source>Align centres on a horizontal line</source>
        <translation>中心对齐到一条横线</translation>
    </message>
    <message>
        <source>&amp;Bottom</source>
        <translation>底部(&amp;B)</translation>
    </message>
    <message>
        <source>Align lower edges</source>
        <translation>下边缘对齐</translation>
    </message>
    <message>
        <source>&amp;Horizontally</source>
        <translation>水平(&amp;H)</translation>
    </message>
    <message>
        <source>Make equal gaps from left to right</source>
        <translation>从左到右间距相等</translation>
    </message>
    <message>
        <source>&amp;Vertically</source>
        <translation>垂直(&amp;V)</translation>
    </message>
    <message>
        <source>Make equal gaps from top to bottom</source>
        <translation>从上到下间距相等</translation>
    </message>
    <message>
        <source>Arran&amp;ge</source>
        <translation>整理(&amp;G)</translation>
    </message>
    <message>
        <source>Place the selected nodes, or all, along their wires</source>
        <translation>沿连线排列所选节点或全部节点</translation>
    </message>
    <message>
        <source>Show the view that was kept under this number</source>
        <translation>显示保存在此编号下的视图</translation>
    </message>
    <message>
        <source>Keep the current view under this number, in the graph</source>
        <translation>把当前视图以此编号保存在工作流中</translation>
    </message>
    <message>
        <source>&amp;Zoom in</source>
        <translation>放大(&amp;Z)</translation>
    </message>
    <message>
        <source>Show less, larger</source>
        <translation>显示得更少、更大</translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>Show more, smaller</source>
        <translation>显示得更多、更小</translation>
    </message>
    <message>
        <source>&amp;100 %</source>
        <translation>&amp;100%</translation>
    </message>
    <message>
        <source>Show the graph at its own size</source>
        <translation>按原始大小显示工作流</translation>
    </message>
    <message>
        <source>Fit &amp;selected</source>
        <translation>适应所选(&amp;S)</translation>
    </message>
    <message>
        <source>Show the selected nodes as large as they fit</source>
        <translation>尽可能大地显示所选节点</translation>
    </message>
    <message>
        <source>Fit &amp;all</source>
        <translation>适应全部(&amp;A)</translation>
    </message>
    <message>
        <source>Show the whole graph</source>
        <translation>显示整个工作流</translation>
    </message>
    <message>
        <source>&amp;Earlier view</source>
        <translation>上一个视图(&amp;E)</translation>
    </message>
    <message>
        <source>Show what was seen before the last jump</source>
        <translation>显示上次跳转之前的视图</translation>
    </message>
    <message>
        <source>&amp;Later view</source>
        <translation>下一个视图(&amp;L)</translation>
    </message>
    <message>
        <source>Undo going back</source>
        <translation>取消返回</translation>
    </message>
    <message>
        <source>Bookmark &amp;1</source>
        <translation>书签 &amp;1</translation>
    </message>
    <message>
        <source>Bookmark &amp;2</source>
        <translation>书签 &amp;2</translation>
    </message>
    <message>
        <source>Bookmark &amp;3</source>
        <translation>书签 &amp;3</translation>
    </message>
    <message>
        <source>Bookmark &amp;4</source>
        <translation>书签 &amp;4</translation>
    </message>
    <message>
        <source>Bookmark &amp;5</source>
        <translation>书签 &amp;5</translation>
    </message>
    <message>
        <source>Bookmark &amp;6</source>
        <translation>书签 &amp;6</translation>
    </message>
    <message>
        <source>Bookmark &amp;7</source>
        <translation>书签 &amp;7</translation>
    </message>
    <message>
        <source>Bookmark &amp;8</source>
        <translation>书签 &amp;8</translation>
    </message>
    <message>
        <source>Bookmark &amp;9</source>
        <translation>书签 &amp;9</translation>
    </message>
    <message>
        <source>&amp;Minimap</source>
        <translation>小地图(&amp;M)</translation>
    </message>
    <message>
        <source>Show the whole graph in a corner, or never; by default while a part is out of view</source>
        <translation>在角落显示整个工作流，或从不显示；默认在有部分看不到时显示</translation>
    </message>
    <message>
        <source>S&amp;nap to the grid</source>
        <translation>吸附到网格(&amp;N)</translation>
    </message>
    <message>
        <source>Moved nodes snap to the grid</source>
        <translation>移动的节点会吸附到网格</translation>
    </message>
    <message>
        <source>Pan while held</source>
        <translation>按住时平移</translation>
    </message>
    <message>
        <source>Hold and drag to move the canvas; tap to search for a node</source>
        <translation>按住并拖动可移动画布；轻按可搜索节点</translation>
    </message>
    <message>
        <source>Node to the left</source>
        <translation>左边的节点</translation>
    </message>
    <message>
        <source>Select the next node to the left</source>
        <translation>选中左边的下一个节点</translation>
    </message>
    <message>
        <source>Node to the right</source>
        <translation>右边的节点</translation>
    </message>
    <message>
        <source>Select the next node to the right</source>
        <translation>选中右边的下一个节点</translation>
    </message>
    <message>
        <source>Node above</source>
        <translation>上面的节点</translation>
    </message>
    <message>
        <source>Select the next node above</source>
        <translation>选中上面的下一个节点</translation>
    </message>
    <message>
        <source>Node below</source>
        <translation>下面的节点</translation>
    </message>
    <message>
        <source>Select the next node below</source>
        <translation>选中下面的下一个节点</translation>
    </message>
    <message>
        <source>Back along a wire</source>
        <translation>沿连线往回</translation>
    </message>
    <message>
        <source>Select the nearest node that feeds this one</source>
        <translation>选中为此节点提供输入的最近节点</translation>
    </message>
    <message>
        <source>On along a wire</source>
        <translation>沿连线往前</translation>
    </message>
    <message>
        <source>Select the nearest node that this one feeds</source>
        <translation>选中由此节点提供输入的最近节点</translation>
    </message>
    <message>
        <source>Up among siblings</source>
        <translation>上一个同源节点</translation>
    </message>
    <message>
        <source>Select the node above that shares a source with this one</source>
        <translation>选中上方与此节点来源相同的节点</translation>
    </message>
    <message>
        <source>Down among siblings</source>
        <translation>下一个同源节点</translation>
    </message>
    <message>
        <source>Select the node below that shares a source with this one</source>
        <translation>选中下方与此节点来源相同的节点</translation>
    </message>
    <message>
        <source>&amp;New</source>
        <translation>新建(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open...</source>
        <translation>打开(&amp;O)...</translation>
    </message>
    <message>
        <source>Open a graph, or an image that carries one</source>
        <translation>打开工作流，或带有工作流的图片</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Write the graph to its file</source>
        <translation>把工作流写入文件</translation>
    </message>
    <message>
        <source>Save &amp;as...</source>
        <translation>另存为(&amp;A)...</translation>
    </message>
    <message>
        <source>Write the graph to another file</source>
        <translation>把工作流写入另一个文件</translation>
    </message>
    <message>
        <source>Save as &amp;preset...</source>
        <translation>保存为预设(&amp;P)...</translation>
    </message>
    <message>
        <source>Keep the graph with its exposed values under Presets</source>
        <translation>把工作流连同公开的值保存到“预设”</translation>
    </message>
    <message>
        <source>Open a &amp;backup...</source>
        <translation>打开备份(&amp;B)...</translation>
    </message>
    <message>
        <source>Open what an earlier save replaced</source>
        <translation>打开以前保存时被替换的版本</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>Close the studio</source>
        <translation>关闭程序</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>Make the images of this graph</source>
        <translation>生成此工作流的图片</translation>
    </message>
    <message>
        <source>Run before everything that waits</source>
        <translation>排在所有等待任务之前运行</translation>
    </message>
    <message>
        <source>Run &amp;again</source>
        <translation>重新运行(&amp;N)</translation>
    </message>
    <message>
        <source>Execute every node, even if it is up to date</source>
        <translation>执行所有节点，即使结果仍然有效</translation>
    </message>
    <message>
        <source>Run se&amp;veral times...</source>
        <translation>运行多次(&amp;V)...</translation>
    </message>
    <message>
        <source>Queue the graph many times, with other seeds</source>
        <translation>用不同的种子把工作流多次加入队列</translation>
    </message>
    <message>
        <source>Run again and again until this is switched off, a run fails, or nothing changes</source>
        <translation>反复运行，直到关闭此项、运行失败或不再有变化</translation>
    </message>
    <message>
        <source>Run to &amp;here</source>
        <translation>运行到此处(&amp;H)</translation>
    </message>
    <message>
        <source>Execute the selected nodes and what they need</source>
        <translation>执行所选节点及其所需的节点</translation>
    </message>
    <message>
        <source>&amp;Cancel now</source>
        <translation>立即取消(&amp;C)</translation>
    </message>
    <message>
        <source>Stop at once; pressing Esc twice does it too</source>
        <translation>立即停止；连按两次 Esc 也可以</translation>
    </message>
    <message>
        <source>Cancel after this &amp;image</source>
        <translation>完成此图后取消(&amp;I)</translation>
    </message>
    <message>
        <source>Finish the image that is being made, then stop</source>
        <translation>完成正在生成的图片，然后停止</translation>
    </message>
    <message>
        <source>&amp;Pause the queue</source>
        <translation>暂停队列(&amp;P)</translation>
    </message>
    <message>
        <source>Runs after the current one wait</source>
        <translation>当前运行之后的任务先等待</translation>
    </message>
    <message>
        <source>Runs of &amp;last time...</source>
        <translation>上次的运行(&amp;L)...</translation>
    </message>
    <message>
        <source>Run or forget what waited when the studio ended</source>
        <translation>运行或放弃程序关闭时仍在等待的任务</translation>
    </message>
    <message>
        <source>Release all &amp;memory</source>
        <translation>释放全部显存(&amp;M)</translation>
    </message>
    <message>
        <source>Take every component and kept result off the devices</source>
        <translation>把所有组件和保留的结果移出设备</translation>
    </message>
    <message>
        <source>&amp;Graph</source>
        <translation>工作流(&amp;G)</translation>
    </message>
    <message>
        <source>Show the canvas</source>
        <translation>显示画布</translation>
    </message>
    <message>
        <source>&amp;Viewer</source>
        <translation>查看器(&amp;V)</translation>
    </message>
    <message>
        <source>Show images and videos at full size</source>
        <translation>以完整大小显示图片和视频</translation>
    </message>
    <message>
        <source>Galler&amp;y</source>
        <translation>图库(&amp;Y)</translation>
    </message>
    <message>
        <source>Show the images of all runs</source>
        <translation>显示所有运行的图片</translation>
    </message>
    <message>
        <source>P&amp;resets</source>
        <translation>预设(&amp;R)</translation>
    </message>
    <message>
        <source>Show saved graphs</source>
        <translation>显示保存的工作流</translation>
    </message>
    <message>
        <source>&amp;Models</source>
        <translation>模型(&amp;M)</translation>
    </message>
    <message>
        <source>Show files of models</source>
        <translation>显示模型文件</translation>
    </message>
    <message>
        <source>&amp;Inspector</source>
        <translation>属性(&amp;I)</translation>
    </message>
    <message>
        <source>Show the values of what is selected</source>
        <translation>显示所选内容的值</translation>
    </message>
    <message>
        <source>&amp;Generate</source>
        <translation>生成(&amp;G)</translation>
    </message>
    <message>
        <source>Show the form of exposed values</source>
        <translation>显示公开值的表单</translation>
    </message>
    <message>
        <source>M&amp;emory</source>
        <translation>显存(&amp;E)</translation>
    </message>
    <message>
        <source>Show the plan and what is held now</source>
        <translation>显示计划和当前占用</translation>
    </message>
    <message>
        <source>&amp;Queue</source>
        <translation>队列(&amp;Q)</translation>
    </message>
    <message>
        <source>Show waiting and finished runs</source>
        <translation>显示等待和完成的运行</translation>
    </message>
    <message>
        <source>I&amp;ssues</source>
        <translation>问题(&amp;S)</translation>
    </message>
    <message>
        <source>Show what is wrong, and where</source>
        <translation>显示哪里出了什么问题</translation>
    </message>
    <message>
        <source>Rese&amp;t panels</source>
        <translation>重置面板(&amp;T)</translation>
    </message>
    <message>
        <source>Put every panel back to its place</source>
        <translation>把所有面板放回原位</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>Light colours</source>
        <translation>浅色配色</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>Dark colours</source>
        <translation>深色配色</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>The desktop&apos;s colours</source>
        <translation>使用桌面的配色</translation>
    </message>
    <message>
        <source>&amp;Help on the node</source>
        <translation>节点帮助(&amp;H)</translation>
    </message>
    <message>
        <source>Show what the selected node does</source>
        <translation>显示所选节点的作用</translation>
    </message>
    <message>
        <source>&amp;First steps...</source>
        <translation>入门(&amp;F)...</translation>
    </message>
    <message>
        <source>Show what the studio offered at its first start</source>
        <translation>显示首次启动时的内容</translation>
    </message>
    <message>
        <source>&amp;About Lowtide</source>
        <translation>关于 Lowtide(&amp;A)</translation>
    </message>
    <message>
        <source>Version, licence and what it is built on</source>
        <translation>版本、许可证和所用的组件</translation>
    </message>
    <message>
        <source>Speak the desktop&apos;s language</source>
        <translation>使用桌面的语言</translation>
    </message>
    <message>
        <source>&amp;English</source>
        <translation>&amp;English</translation>
    </message>
    <message>
        <source>Speak English</source>
        <translation>使用英语</translation>
    </message>
    <message>
        <source>&amp;简体中文</source>
        <translation>&amp;简体中文</translation>
    </message>
    <message>
        <source>Speak Chinese</source>
        <translation>使用中文</translation>
    </message>
    <message>
        <source>&amp;Complete the word</source>
        <translation>补全单词(&amp;C)</translation>
    </message>
    <message>
        <source>Offer what the word at the cursor of a prompt may become</source>
        <translation>为提示词光标处的词提供补全</translation>
    </message>
    <message>
        <source>&amp;Styles...</source>
        <translation>风格(&amp;S)...</translation>
    </message>
    <message>
        <source>Apply a style to the prompt, or save its text as one</source>
        <translation>对提示词应用风格，或把文本存为风格</translation>
    </message>
    <message>
        <source>&amp;Earlier prompts...</source>
        <translation>以前的提示词(&amp;E)...</translation>
    </message>
    <message>
        <source>Take a prompt of an earlier run</source>
        <translation>使用以前运行的提示词</translation>
    </message>
    <message>
        <source>Open the folder of &amp;wildcards</source>
        <translation>打开通配符文件夹(&amp;W)</translation>
    </message>
    <message>
        <source>Files of lines that __name__ in a prompt draws from</source>
        <translation>提示词中的 __name__ 从这些文件的行中抽取</translation>
    </message>
    <message>
        <source>Vary in a &amp;sheet...</source>
        <translation>生成对比表(&amp;S)...</translation>
    </message>
    <message>
        <source>Run the graph with several values of one or two parameters, side by side</source>
        <translation>用一两个参数的多个值运行工作流，并排对比</translation>
    </message>
    <message>
        <source>S&amp;top after this run</source>
        <translation>此次运行后停止(&amp;T)</translation>
    </message>
    <message>
        <source>Let the current run end, take back all that wait, and repeat nothing</source>
        <translation>让当前运行结束，撤回所有等待的运行，不再重复</translation>
    </message>
    <message>
        <source>&amp;Filmstrip</source>
        <translation>胶片条(&amp;F)</translation>
    </message>
    <message>
        <source>Show the images of the gallery below the viewer</source>
        <translation>在查看器下方显示图库的图片</translation>
    </message>
    <message>
        <source>Pa&amp;int a mask</source>
        <translation>绘制遮罩(&amp;I)</translation>
    </message>
    <message>
        <source>Paint over the part of the viewer&apos;s image to regenerate</source>
        <translation>在查看器的图片上涂抹要重绘的部分</translation>
    </message>
    <message>
        <source>Crop or e&amp;xtend</source>
        <translation>裁剪或扩图(&amp;X)</translation>
    </message>
    <message>
        <source>Cut the viewer&apos;s image, or add space around it</source>
        <translation>裁剪查看器的图片，或在四周扩展</translation>
    </message>
    <message>
        <source>S&amp;heet</source>
        <translation>对比表(&amp;H)</translation>
    </message>
    <message>
        <source>Show the sheet that was opened last, or the newest</source>
        <translation>显示上次打开的或最新的对比表</translation>
    </message>
    <message>
        <source>&amp;Log</source>
        <translation>日志(&amp;L)</translation>
    </message>
    <message>
        <source>Show what the engine and the studio wrote to their logs</source>
        <translation>显示引擎和程序写入的日志</translation>
    </message>
    <message>
        <source>&amp;Report a problem...</source>
        <translation>报告问题(&amp;R)...</translation>
    </message>
    <message>
        <source>Collect versions, plan, report and log, without folders and names, to save or copy</source>
        <translation>收集版本、计划、报告和日志（不含文件夹和名称），供保存或复制</translation>
    </message>
    <message>
        <source>Ne&amp;xt panel</source>
        <translation>下一个面板(&amp;X)</translation>
    </message>
    <message>
        <source>Move the keyboard to the next panel, out of the canvas too</source>
        <translation>将键盘焦点移到下一个面板，也可离开画布</translation>
    </message>
    <message>
        <source>Pre&amp;vious panel</source>
        <translation>上一个面板(&amp;V)</translation>
    </message>
    <message>
        <source>Move the keyboard to the panel before</source>
        <translation>将键盘焦点移到上一个面板</translation>
    </message>
    <message>
        <source>Light, &amp;high contrast</source>
        <translation>浅色高对比度(&amp;H)</translation>
    </message>
    <message>
        <source>Black on white, strong lines</source>
        <translation>白底黑字，线条清晰</translation>
    </message>
    <message>
        <source>Dark, high &amp;contrast</source>
        <translation>深色高对比度(&amp;C)</translation>
    </message>
    <message>
        <source>White on black, strong lines</source>
        <translation>黑底白字，线条清晰</translation>
    </message>
    <message>
        <source>Remove unused &amp;masks...</source>
        <translation>移除未使用的遮罩(&amp;M)...</translation>
    </message>
    <message>
        <source>Move masks, crops and extended images that nothing uses to the wastebasket</source>
        <translation>把未被使用的遮罩、裁剪和扩图移到回收站</translation>
    </message>
    <message>
        <source>&amp;Unused inputs</source>
        <translation>未使用的输入(&amp;U)</translation>
    </message>
    <message>
        <source>Show the inputs without a wire one by one, or fold them</source>
        <translation>逐一显示没有连线的输入，或将其收起</translation>
    </message>
    <message>
        <source>Open the default graph in a new tab</source>
        <translation>打开另一个工作流，即默认工作流</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>关闭(&amp;C)</translation>
    </message>
    <message>
        <source>Close the graph that is shown</source>
        <translation>关闭当前显示的工作流</translation>
    </message>
    <message>
        <source>Ne&amp;xt graph</source>
        <translation>下一个工作流(&amp;X)</translation>
    </message>
    <message>
        <source>Show the next open graph</source>
        <translation>显示下一个打开的工作流</translation>
    </message>
    <message>
        <source>Pre&amp;vious graph</source>
        <translation>上一个工作流(&amp;V)</translation>
    </message>
    <message>
        <source>Show the previous open graph</source>
        <translation>显示上一个打开的工作流</translation>
    </message>
    <message>
        <source>Run &amp;next</source>
        <translation>优先运行(&amp;F)</translation>
    </message>
    <message>
        <source>Run for&amp;ever</source>
        <translation>持续运行(&amp;E)</translation>
    </message>
    <message>
        <source>Full sc&amp;reen</source>
        <translation>全屏(&amp;R)</translation>
    </message>
    <message>
        <source>Show the viewer&apos;s image on the whole screen; Esc brings the window back</source>
        <translation>让查看器的图片占满屏幕；按 Esc 恢复窗口</translation>
    </message>
    <message>
        <source>Hi&amp;de all panels</source>
        <translation>隐藏全部面板(&amp;D)</translation>
    </message>
    <message>
        <source>Hide the panels, and bring them back as they were</source>
        <translation>隐藏面板，再按恢复原样</translation>
    </message>
    <message>
        <source>&amp;Guide</source>
        <translation>使用指南(&amp;G)</translation>
    </message>
    <message>
        <source>Read and search the guide</source>
        <translation>阅读各项操作的说明，可搜索</translation>
    </message>
    <message>
        <source>&amp;Tour</source>
        <translation>导览(&amp;T)</translation>
    </message>
    <message>
        <source>Take a one-minute tour of the window</source>
        <translation>用一分钟说明各部分在哪里</translation>
    </message>
    <message>
        <source>Ma&amp;ke a group</source>
        <translation>创建组(&amp;K)</translation>
    </message>
    <message>
        <source>Show the selected nodes as one</source>
        <translation>把所选节点显示为一个节点</translation>
    </message>
    <message>
        <source>U&amp;ngroup</source>
        <translation>解散组(&amp;N)</translation>
    </message>
    <message>
        <source>Take the selected group apart, or the selected nodes out of their group</source>
        <translation>解散所选的组，或把所选节点移出其组</translation>
    </message>
</context>
<context>
    <name>Arguments</name>
    <message>
        <source>Main device: cpu, cuda, fake:8GiB</source>
        <translation>主设备：cpu、cuda、fake:8GiB</translation>
    </message>
    <message>
        <source>Folder with models, for this start (repeatable)</source>
        <translation>本次启动使用的模型文件夹（可重复）</translation>
    </message>
    <message>
        <source>Threads of the CPU&apos;s operators</source>
        <translation>CPU 运算的线程数</translation>
    </message>
    <message>
        <source>lowtide-studio opens one graph at a time; %1 were given</source>
        <translation>lowtide-studio 一次只打开一个工作流；给出了 %1 个</translation>
    </message>
    <message>
        <source>--threads takes a number from 1 to %1</source>
        <translation>--threads 需要 1 到 %1 之间的数</translation>
    </message>
    <message>
        <source>Lowtide studio: image diffusion as a node graph, with a memory policy for every node</source>
        <translation>Lowtide studio：以节点工作流生成图片，每个节点都有显存策略</translation>
    </message>
    <message>
        <source>Graph file, image with a graph, or name of a preset</source>
        <translation>工作流文件、带有工作流的图片，或预设的名称</translation>
    </message>
    <message>
        <source>Memory budget: 6GiB of the main device, or cuda:0=20GiB,cpu=8GiB</source>
        <translation>内存预算：6GiB（主设备），或 cuda:0=20GiB,cpu=8GiB</translation>
    </message>
</context>
<context>
    <name>Arrivals</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Added %1 for %2. Connect it to the node that is to use it.</source>
        <translation>已为 %2 添加 %1。请把它连到要使用它的节点。</translation>
    </message>
    <message>
        <source>Added %1 for %2, connected to %3.</source>
        <translation>已为 %2 添加 %1，并连到 %3。</translation>
    </message>
    <message>
        <source>%1 uses %2.</source>
        <translation>%1 使用 %2。</translation>
    </message>
    <message>
        <source>%1 uses %2 in place of %3.</source>
        <translation>%1 使用 %2 代替 %3。</translation>
    </message>
    <message>
        <source>No node takes such a file. Start the studio with its engine.</source>
        <translation>没有使用这类文件的节点。请启动带有引擎的程序。</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>%1 already uses %2.</source>
        <translation>%1 已在使用 %2。</translation>
    </message>
    <message>
        <source>No prompt, or more than one, could take it. Drop it on the one that is meant, or write %1 there.</source>
        <translation>没有提示词可以接受它，或有多个可以。请把它拖到要用的提示词上，或在其中写 %1。</translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation>添加“%1”</translation>
    </message>
    <message>
        <source>%1 is in the prompt of %2.</source>
        <translation>%1 已写入 %2 的提示词。</translation>
    </message>
</context>
<context>
    <name>BypassPreview</name>
    <message>
        <source>%1 goes on as %2</source>
        <translation>%1 作为 %2 继续传递</translation>
    </message>
    <message>
        <source>Bypassed, %1 does nothing: %2.</source>
        <translation>绕过后，%1 不起作用：%2。</translation>
    </message>
    <message>
        <source>Nothing comes out of %1.</source>
        <translation>%1 没有输出。</translation>
    </message>
</context>
<context>
    <name>CompareCaptions</name>
    <message>
        <source>%1 · %2 %3</source>
        <translation>%1 · %2 %3</translation>
    </message>
</context>
<context>
    <name>DragReroute</name>
    <message>
        <source>Bend wire</source>
        <translation>弯折连线</translation>
    </message>
</context>
<context>
    <name>DragSelected</name>
    <message>
        <source>Insert into wire</source>
        <translation>插入连线</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>移动</translation>
    </message>
</context>
<context>
    <name>DragValue</name>
    <message>
        <source>Change %1</source>
        <translation>更改“%1”</translation>
    </message>
</context>
<context>
    <name>DragWire</name>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>断开</translation>
    </message>
</context>
<context>
    <name>ElementWords</name>
    <message>
        <source>%1, %2</source>
        <comment>node, port</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Waits for its turn.</source>
        <translation>等待轮到它。</translation>
    </message>
    <message>
        <source>Running.</source>
        <translation>正在运行。</translation>
    </message>
    <message>
        <source>Running: %1.</source>
        <translation>正在运行：%1。</translation>
    </message>
    <message>
        <source>Finished in %1.</source>
        <translation>用时 %1 完成。</translation>
    </message>
    <message>
        <source>Finished.</source>
        <translation>已完成。</translation>
    </message>
    <message>
        <source>Up to date: its result was kept.</source>
        <translation>已是最新：保留了结果。</translation>
    </message>
    <message>
        <source>Failed.</source>
        <translation>失败。</translation>
    </message>
</context>
<context>
    <name>ErrorWords</name>
    <message>
        <source>Report a problem...</source>
        <translation>报告问题...</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>Rehearse on %1</source>
        <translation>在 %1 显卡上预演</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>rehearsed card</source>
        <translation>预演的显卡</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 毫秒</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 分 %2 秒</translation>
    </message>
    <message>
        <source>under 1 s</source>
        <translation>不到 1 秒</translation>
    </message>
    <message>
        <source>about %1 s</source>
        <translation>约 %1 秒</translation>
    </message>
    <message>
        <source>about %1 min</source>
        <translation>约 %1 分钟</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余%1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 小时</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 小时 %2 分钟</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>约 %1</translation>
    </message>
</context>
<context>
    <name>GroupStatus</name>
    <message>
        <source>%1: %2</source>
        <comment>title of a node, its phase</comment>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>ImageDifference</name>
    <message>
        <source>The images have different sizes.</source>
        <translation>图片的大小不同。</translation>
    </message>
    <message>
        <source>Identical.</source>
        <translation>完全相同。</translation>
    </message>
    <message>
        <source>Up to %1 of 255 apart, %2 % of the pixels.</source>
        <translation>最多相差 %1/255，占像素的 %2%。</translation>
    </message>
</context>
<context>
    <name>KeptImage</name>
    <message>
        <source>it cannot be written as PNG</source>
        <translation>无法写为 PNG</translation>
    </message>
</context>
<context>
    <name>Locks</name>
    <message>
        <source>“%1” is open in another window of this program.</source>
        <translation>“%1”已在本程序的另一个窗口中打开。</translation>
    </message>
    <message>
        <source>“%1” is being edited by %2 on %3 (process %4, since %5).</source>
        <translation>“%1”正由 %3 上的 %2 编辑（进程 %4，自 %5 起）。</translation>
    </message>
    <message>
        <source>another program</source>
        <translation>另一个程序</translation>
    </message>
    <message>
        <source>“%1” is being edited by another program.</source>
        <translation>另一个程序正在编辑“%1”。</translation>
    </message>
</context>
<context>
    <name>MemoryLine</name>
    <message>
        <source>Does not fit: the memory budget</source>
        <translation>放不下：超出显存预算</translation>
    </message>
    <message>
        <source>Does not fit: %1 needs %2, %3 available</source>
        <translation>放不下：%1 需要 %2，可用 %3</translation>
    </message>
    <message>
        <source>Does not fit: %1 needs %2</source>
        <translation>放不下：%1 需要 %2</translation>
    </message>
    <message>
        <source>Does not fit: %1</source>
        <translation>放不下：%1</translation>
    </message>
    <message>
        <source>Needs %1</source>
        <translation>需要 %1</translation>
    </message>
    <message>
        <source>Planned for %1: needs %2</source>
        <translation>为 %1 规划：需要 %2</translation>
    </message>
    <message>
        <source>streams %1 %</source>
        <translation>流式加载 %1%</translation>
    </message>
    <message>
        <source>%1 (estimate)</source>
        <translation>%1（估计）</translation>
    </message>
    <message>
        <source>The most that %1 will hold, and its budget. %2</source>
        <translation>%1 上的最大占用及其预算。%2</translation>
    </message>
    <message>
        <source>The time is an estimate: the card need not be there, and nothing runs on it.</source>
        <translation>时间是估计值：这张显卡不必存在，也不会在上面运行。</translation>
    </message>
    <message>
        <source>The time is an estimate that ranks plans: this device was not measured yet.</source>
        <translation>时间是用于比较计划的估计值：此设备尚未测速。</translation>
    </message>
    <message>
        <source>The time is from this device&apos;s measured speeds.</source>
        <translation>时间来自此设备的实测速度。</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 of %2 %3</source>
        <translation>%1 / %2 %3</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>%1 needs %2; %3 are available (%4).</source>
        <comment>a node, bytes, bytes, a device</comment>
        <translation>%1 需要 %2，可用 %3（%4）。</translation>
    </message>
    <message>
        <source>The whole run needs at least %1.</source>
        <translation>整个运行至少需要 %1。</translation>
    </message>
    <message>
        <source>A smaller image or batch needs less.</source>
        <translation>缩小图片或减小批次，需要的显存会更少。</translation>
    </message>
    <message>
        <source>%1 on such a GPU</source>
        <translation>在这种显卡上用时 %1</translation>
    </message>
    <message>
        <source>The time is that of a GPU of the middle class. A rehearsal takes as long as a run on the CPU.</source>
        <translation>时间按中端显卡计算。预演与在 CPU 上运行一样久。</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Node</source>
        <translation>节点(&amp;N)</translation>
    </message>
    <message>
        <source>Pro&amp;mpt</source>
        <translation>提示词(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>A&amp;lign</source>
        <translation>对齐(&amp;L)</translation>
    </message>
    <message>
        <source>Di&amp;stribute</source>
        <translation>分布(&amp;S)</translation>
    </message>
    <message>
        <source>Appearan&amp;ce</source>
        <translation>外观(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Panels</source>
        <translation>面板(&amp;P)</translation>
    </message>
    <message>
        <source>Go to &amp;bookmark</source>
        <translation>转到书签(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Keep as bookmark</source>
        <translation>保存为书签(&amp;K)</translation>
    </message>
    <message>
        <source>Lang&amp;uage</source>
        <translation>语言(&amp;U)</translation>
    </message>
    <message>
        <source>Canvas</source>
        <translation>画布</translation>
    </message>
</context>
<context>
    <name>ModelRowDelegate</name>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>cannot be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>not run by this version</source>
        <translation>此版本不支持运行</translation>
    </message>
    <message>
        <source>Mini</source>
        <translation>Mini</translation>
    </message>
    <message>
        <source>comes with Lowtide, 128 x 128 pixels</source>
        <translation>Lowtide 自带，128 x 128 像素</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>streams</source>
        <translation>流式加载</translation>
    </message>
    <message>
        <source>too big</source>
        <translation>太大</translation>
    </message>
    <message>
        <source>A first look at the file alone: a quarter of the budget is left for images. Fits: the rest holds all weights at once. Streams: it holds four of the largest tensor, and the others come when they are used. The plan of a graph is more exact.</source>
        <translation>仅根据文件的初步判断：预算的四分之一留给图片。放得下：其余部分能同时容纳全部权重。流式加载：能容纳四个最大的张量，其余在用到时加载。工作流的计划更准确。</translation>
    </message>
    <message>
        <source>runs with %1</source>
        <translation>需要%1才能运行</translation>
    </message>
</context>
<context>
    <name>NodeFace</name>
    <message>
        <source>The file names this port; no such port is known here.</source>
        <translation>文件中有这个端口，但这里没有这样的端口。</translation>
    </message>
    <message>
        <source>%1, random</source>
        <translation>%1，随机</translation>
    </message>
    <message>
        <source>Not installed here</source>
        <translation>此处未安装</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>port or value, node</comment>
        <translation>%1（%2）</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n 个节点</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>NodeTexts</name>
    <message>
        <source>Empty</source>
        <translation>空</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>%1, %2 left</source>
        <translation>%1，剩余 %2</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>kept from before</source>
        <translation>沿用以前的结果</translation>
    </message>
    <message>
        <source>plan %1</source>
        <translation>计划 %1</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 毫秒</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 分 %2 秒</translation>
    </message>
    <message numerus="yes">
        <source>%n more inputs</source>
        <translation>
            <numerusform>另外 %n 个输入</numerusform>
        </translation>
    </message>
    <message>
        <source>Fewer inputs</source>
        <translation>收起输入</translation>
    </message>
</context>
<context>
    <name>NodeTitle</name>
    <message>
        <source>%1 (%2)</source>
        <comment>title of a node, its id</comment>
        <translation>%1（%2）</translation>
    </message>
</context>
<context>
    <name>NoteItem</name>
    <message>
        <source>Double-click to write</source>
        <translation>双击以书写</translation>
    </message>
</context>
<context>
    <name>Opening</name>
    <message>
        <source>%1 (backup)</source>
        <translation>%1（备份）</translation>
    </message>
</context>
<context>
    <name>Phase</name>
    <message>
        <source>%1 %2 of %3</source>
        <translation>%1 %2/%3</translation>
    </message>
</context>
<context>
    <name>Prompts</name>
    <message>
        <source>%1 in %2 × %3</source>
        <translation>%1，%2 × %3</translation>
    </message>
    <message>
        <source>%1 / %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message numerus="yes">
        <source>%1: %2 tokens in %n chunks of %3.</source>
        <translation>
            <numerusform>%1：%2 个词元，%n 段，每段 %3。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more are left out.</source>
        <translation>
            <numerusform>另有 %n 个被截去。</numerusform>
        </translation>
    </message>
    <message>
        <source>Tokens are counted as soon as the graph can be checked: see Issues.</source>
        <translation>工作流可以检查后就会统计词元：请看“问题”。</translation>
    </message>
    <message>
        <source>No checkpoint connected</source>
        <translation>未连接检查点</translation>
    </message>
    <message>
        <source>Connect a model to see how many tokens its text encoder reads.</source>
        <translation>连接模型即可看到其文本编码器读取多少词元。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1, %2 cut</source>
        <translation>%1，截去 %2</translation>
    </message>
    <message>
        <source>Counted for the alternatives that the present seed draws.</source>
        <translation>按当前种子抽取的选项统计。</translation>
    </message>
    <message>
        <source>drawn: %1</source>
        <translation>抽取：%1</translation>
    </message>
    <message>
        <source>No } closes these alternatives: they are read as text.</source>
        <translation>这些选项缺少 }：按文字处理。</translation>
    </message>
    <message>
        <source>Nothing closes this bracket: it lasts to the end of the text. A backslash before it makes it text.</source>
        <translation>此括号没有闭合：一直到文本末尾。前面加反斜杠则为文字。</translation>
    </message>
    <message>
        <source>Nothing closes this bracket: it is read as text.</source>
        <translation>此括号没有闭合：按文字处理。</translation>
    </message>
    <message>
        <source>(word:1.2) is read as words here: it belongs to the weights A1111.</source>
        <translation>(word:1.2) 在这里按文字处理：它属于权重方式 A1111。</translation>
    </message>
    <message>
        <source>No bracket is open here: this one is read as text. A backslash before it says so.</source>
        <translation>这里没有打开的括号：按文字处理。前面加反斜杠可明确表示。</translation>
    </message>
    <message>
        <source>Prompt editing is read as words here. Encode the texts apart, and join them by the nodes Time range and Combine; {a|b} draws one of both for each run.</source>
        <translation>提示词编辑语法在这里按文字处理。请分别编码文本，再用“条件时间范围”和“条件合并”合在一起；{a|b} 每次运行抽取其一。</translation>
    </message>
    <message>
        <source>No &gt; ends this tag: it is read as text.</source>
        <translation>此标记缺少 &gt;：按文字处理。</translation>
    </message>
    <message>
        <source>Hypernetworks are not built: the tag is left out.</source>
        <translation>不支持 Hypernetwork：标记被忽略。</translation>
    </message>
    <message>
        <source>The tag is read as words. Turn on LoRAs of the prompt, and write it into the prompt.</source>
        <translation>此标记按文字处理。请开启“提示词中的 LoRA”，并写在提示词中。</translation>
    </message>
    <message>
        <source>There is no wildcard “%1”: the run would be refused. A backslash before __ makes it text.</source>
        <translation>没有通配符“%1”：运行会被拒绝。在 __ 前加反斜杠则为文字。</translation>
    </message>
    <message>
        <source>BREAK is read as a word. The weights A1111 begin a new chunk with it.</source>
        <translation>BREAK 按文字处理。权重方式 A1111 用它开始新的一段。</translation>
    </message>
    <message>
        <source>AND is read as a word. Encode the prompts apart, and join them by the node Combine.</source>
        <translation>AND 按文字处理。请分别编码提示词，再用“条件合并”合在一起。</translation>
    </message>
</context>
<context>
    <name>Punctuation</name>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>; </source>
        <translation>；</translation>
    </message>
    <message>
        <source>: </source>
        <translation>：</translation>
    </message>
</context>
<context>
    <name>QFileDialog</name>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
</context>
<context>
    <name>QFileSystemModel</name>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
</context>
<context>
    <name>QKeySequenceEdit</name>
    <message>
        <source>Press shortcut</source>
        <translation>请按快捷键</translation>
    </message>
</context>
<context>
    <name>QLabel</name>
    <message>
        <source>Treat %1 like the others</source>
        <translation>与其他组件一样处理 %1</translation>
    </message>
    <message>
        <source>Treat %1 separately</source>
        <translation>单独处理 %1</translation>
    </message>
</context>
<context>
    <name>QShortcut</name>
    <message>
        <source>Up</source>
        <translation>上</translation>
    </message>
    <message>
        <source>Down</source>
        <translation>下</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>左</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>右</translation>
    </message>
</context>
<context>
    <name>QueueWords</name>
    <message>
        <source>%1 %</source>
        <translation>%1%</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余%1</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Queue (%1)</source>
        <translation>队列 (%1)</translation>
    </message>
    <message>
        <source>(%1, %2) %3</source>
        <translation>(%1，%2) %3</translation>
    </message>
    <message>
        <source>(%1) %2</source>
        <translation>(%1) %2</translation>
    </message>
</context>
<context>
    <name>Recovery</name>
    <message>
        <source>A newer version left unsaved changes in “%1”: %2. They are kept for it.</source>
        <translation>较新的版本在“%1”中留下了未保存的更改：%2。更改会为它保留。</translation>
    </message>
    <message>
        <source>Unsaved changes in “%1” cannot be read: %2. The file was left there.</source>
        <translation>无法读取“%1”中未保存的更改：%2。文件留在原处。</translation>
    </message>
    <message>
        <source>Unsaved changes cannot be read: %1. The file was kept as “%2” in “%3”.</source>
        <translation>无法读取未保存的更改：%1。文件已保存为“%3”中的“%2”。</translation>
    </message>
    <message>
        <source>another machine</source>
        <translation>另一台电脑</translation>
    </message>
</context>
<context>
    <name>ResizeBox</name>
    <message>
        <source>Resize</source>
        <translation>调整大小</translation>
    </message>
</context>
<context>
    <name>Saving</name>
    <message>
        <source>“%1” is marked as read-only</source>
        <translation>“%1”是只读文件</translation>
    </message>
    <message>
        <source>Save the graph under another name.</source>
        <translation>请用其他名称保存工作流。</translation>
    </message>
    <message>
        <source>Free some space, or save the graph in another folder. What was saved before is still there.</source>
        <translation>请腾出一些空间，或把工作流保存到其他文件夹。以前保存的内容仍在。</translation>
    </message>
</context>
<context>
    <name>SheetItems</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>Memory policy</source>
        <translation>显存策略</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
</context>
<context>
    <name>SheetPlan</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
</context>
<context>
    <name>UnusedImages</name>
    <message>
        <source>The folder “%1” may not be read.</source>
        <translation>不允许读取文件夹“%1”。</translation>
    </message>
</context>
<context>
    <name>UsedValues</name>
    <message>
        <source>Use the prompt of “%1”</source>
        <translation>使用“%1”的提示词</translation>
    </message>
    <message>
        <source>Use the seed of “%1”</source>
        <translation>使用“%1”的种子</translation>
    </message>
    <message>
        <source>Use the size of “%1”</source>
        <translation>使用“%1”的尺寸</translation>
    </message>
    <message>
        <source>Use all values of “%1”</source>
        <translation>使用“%1”的全部值</translation>
    </message>
    <message>
        <source>The graph has the prompt of “%1” now.</source>
        <translation>工作流现在使用“%1”的提示词。</translation>
    </message>
    <message>
        <source>The graph has the seed of “%1” now, and keeps it.</source>
        <translation>工作流现在使用“%1”的种子，并会保持不变。</translation>
    </message>
    <message>
        <source>The graph has the size of “%1” now.</source>
        <translation>工作流现在使用“%1”的尺寸。</translation>
    </message>
    <message>
        <source>The graph has the values of “%1” now.</source>
        <translation>工作流现在使用“%1”的值。</translation>
    </message>
    <message>
        <source>%1 Not taken: %2.</source>
        <translation>%1未采用：%2。</translation>
    </message>
    <message>
        <source>The graph of “%1” has no such value.</source>
        <translation>“%1”的工作流中没有这样的值。</translation>
    </message>
    <message>
        <source>Nothing of “%1” was taken: no node of the open graph takes %2.</source>
        <translation>没有采用“%1”的任何值：打开的工作流中没有节点接受 %2。</translation>
    </message>
    <message>
        <source>The graph of “%1” cannot be read: %2</source>
        <translation>无法读取“%1”的工作流：%2</translation>
    </message>
</context>
<context>
    <name>Viewer</name>
    <message>
        <source>There is not enough memory to show %1.</source>
        <translation>内存不足，无法显示 %1。</translation>
    </message>
</context>
<context>
    <name>WireChoices</name>
    <message>
        <source>%1 ← %2: %3</source>
        <translation>%1 ← %2：%3</translation>
    </message>
    <message>
        <source>%1 → %2: %3</source>
        <translation>%1 → %2：%3</translation>
    </message>
</context>
<context>
    <name>Wires</name>
    <message>
        <source>an %1</source>
        <translation>%1</translation>
    </message>
    <message>
        <source>a %1</source>
        <translation>%1</translation>
    </message>
    <message>
        <source>%1 has no output “%2”.</source>
        <translation>%1 没有输出“%2”。</translation>
    </message>
    <message>
        <source>%1 has no input “%2”.</source>
        <translation>%1 没有输入“%2”。</translation>
    </message>
    <message>
        <source>A node cannot feed itself.</source>
        <translation>节点不能连到自己。</translation>
    </message>
    <message>
        <source>That would be a circle: %1 already feeds %2.</source>
        <translation>这会形成环路：%1 已经为 %2 提供输入。</translation>
    </message>
    <message>
        <source>There is no node “%1”.</source>
        <translation>没有节点“%1”。</translation>
    </message>
    <message>
        <source>The node type “%1” is not known here, and neither are its ports.</source>
        <translation>这里没有节点类型“%1”，也不知道它的端口。</translation>
    </message>
    <message>
        <source>%1 takes %2 here, this is %3.</source>
        <translation>%1 在这里接受 %2，而这是 %3。</translation>
    </message>
    <message>
        <source>%1 passes this on: %2</source>
        <translation>%1 会继续传递：%2</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::AxisEditor</name>
    <message>
        <source>What differs</source>
        <translation>变化的内容</translation>
    </message>
    <message>
        <source>Choose what differs</source>
        <translation>选择变化的内容</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>4, 8, 12 or 4-12 (+2) or 1-10 [4]</source>
        <translation>4, 8, 12 或 4-12 (+2) 或 1-10 [4]</translation>
    </message>
    <message>
        <source>A list: 4, 8, 12
A range: 1-5
With a distance: 4-12 (+2) or 1..5 step 2
So many, evenly apart: 1-10 [4]</source>
        <translation>列表：4, 8, 12
范围：1-5
带间隔：4-12 (+2) 或 1..5 step 2
均匀的若干个：1-10 [4]</translation>
    </message>
    <message>
        <source>Others</source>
        <translation>其他值</translation>
    </message>
    <message>
        <source>Others, apart by a semicolon</source>
        <translation>其他值，用分号分隔</translation>
    </message>
    <message>
        <source>Add files...</source>
        <translation>添加文件...</translation>
    </message>
    <message>
        <source>How the text differs</source>
        <translation>文本如何变化</translation>
    </message>
    <message>
        <source>A word is replaced</source>
        <translation>替换一个词</translation>
    </message>
    <message>
        <source>A text on each line</source>
        <translation>每行一段文本</translation>
    </message>
    <message>
        <source>cat, dog, fox
The first word is in the text; each of the others takes its place.</source>
        <translation>cat, dog, fox
第一个词在文本中；其他词依次代替它。</translation>
    </message>
    <message>
        <source>One whole text on each line</source>
        <translation>每行一段完整的文本</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>There are no values yet.</source>
        <translation>还没有值。</translation>
    </message>
    <message numerus="yes">
        <source>%n values: %1</source>
        <translation>
            <numerusform>%n 个值：%1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Breadcrumbs</name>
    <message>
        <source>Open groups</source>
        <translation>展开的组</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>工作流</translation>
    </message>
    <message>
        <source>Show all of this group</source>
        <translation>显示此组的全部内容</translation>
    </message>
    <message>
        <source>Fold what is open in here</source>
        <translation>折叠其中展开的组</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::BudgetSlider</name>
    <message>
        <source>Memory budget</source>
        <translation>显存预算</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>Memory budget, exact</source>
        <translation>显存预算（精确值）</translation>
    </message>
    <message>
        <source>Needs at least %1</source>
        <translation>至少需要 %1</translation>
    </message>
    <message>
        <source>At most %1</source>
        <translation>最多 %1</translation>
    </message>
    <message>
        <source>No limit: all that is free</source>
        <translation>不限：使用全部可用显存</translation>
    </message>
    <message>
        <source>“%1” is not a memory budget. Enter a size such as 6GiB, one for each device such as cuda:0=20GiB,cpu=8GiB, or nothing.</source>
        <translation>“%1” 不是内存预算。请写一个大小，例如 6GiB，或为每个设备各写一个，例如 cuda:0=20GiB,cpu=8GiB，或留空。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ComponentChips</name>
    <message>
        <source>%1
%3, %2</source>
        <translation>%1
%3，%2</translation>
    </message>
    <message>
        <source>Available when the run has ended</source>
        <translation>运行结束后可用</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>移出显存</translation>
    </message>
    <message>
        <source>Off the device; its files remain open for the next run</source>
        <translation>移出显存；文件保持打开，供下次运行使用</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Off the device, and its files are closed</source>
        <translation>移出显存，并关闭文件</translation>
    </message>
    <message>
        <source>No component is on a device. &quot;keep&quot; in a memory policy keeps one for the next run.</source>
        <translation>设备上没有组件。显存策略中的“keep”会为下次运行保留组件。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Conversion</name>
    <message>
        <source>the module refused without saying why</source>
        <translation>模块拒绝了请求，但没有说明原因</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ConvertDialog</name>
    <message>
        <source>Written: %1, %2.</source>
        <translation>已写入：%1，%2。</translation>
    </message>
    <message>
        <source>%1 Every number is that of the source.</source>
        <translation>%1 所有数值与源文件相同。</translation>
    </message>
    <message>
        <source>%1 Rounded tensors: %2, by %3 of their numbers on average.</source>
        <translation>%1 舍入的张量：%2，平均舍入幅度为数值的 %3。</translation>
    </message>
    <message>
        <source>Choose...</source>
        <translation>选择...</translation>
    </message>
    <message>
        <source>A file of that name exists and will be replaced.</source>
        <translation>已有同名文件，将被替换。</translation>
    </message>
    <message>
        <source>Convert %1</source>
        <translation>转换 %1</translation>
    </message>
    <message>
        <source>Progress of the conversion</source>
        <translation>转换进度</translation>
    </message>
    <message>
        <source>Writes the weights to a new, smaller file and keeps the original. Numbers are rounded; the result says by how much.</source>
        <translation>把权重写入更小的新文件并保留原文件。数值会被舍入，结果中会说明舍入了多少。</translation>
    </message>
    <message>
        <source>Reading what the file holds...</source>
        <translation>正在读取文件内容...</translation>
    </message>
    <message>
        <source>The new file</source>
        <translation>新文件</translation>
    </message>
    <message>
        <source>Use in the graph</source>
        <translation>在工作流中使用</translation>
    </message>
    <message>
        <source>Convert</source>
        <translation>转换</translation>
    </message>
    <message>
        <source>No storage makes it smaller than it is.</source>
        <translation>没有能让它更小的存储格式。</translation>
    </message>
    <message>
        <source>Converting...</source>
        <translation>正在转换...</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Cancelled: nothing was written.</source>
        <translation>已取消：没有写入任何内容。</translation>
    </message>
    <message>
        <source>Cancelling...</source>
        <translation>正在取消...</translation>
    </message>
    <message>
        <source>Weights (*%1)</source>
        <translation>权重 (*%1)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::DesktopNotice</name>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::DeviceChooser</name>
    <message>
        <source>Device of the run</source>
        <translation>运行设备</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>Plan for %1, %2</source>
        <translation>为 %1 规划，%2</translation>
    </message>
    <message>
        <source>Plan for %1</source>
        <translation>为 %1 规划</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::DifferencesDialog</name>
    <message>
        <source>Memory budget</source>
        <translation>显存预算</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Collect memory at</source>
        <translation>显存回收阈值</translation>
    </message>
    <message>
        <source>Low-memory mode</source>
        <translation>低显存模式</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>模式</translation>
    </message>
    <message>
        <source>Input %1</source>
        <translation>输入 %1</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>The open graph is the one of “%1”.</source>
        <translation>打开的工作流就是“%1”的工作流。</translation>
    </message>
    <message>
        <source>“%1” compared with the open graph:</source>
        <translation>“%1”与打开的工作流对比：</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>In that run</source>
        <translation>该次运行</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>no such node</source>
        <translation>没有此节点</translation>
    </message>
    <message>
        <source>there</source>
        <translation>有</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::DocumentFile</name>
    <message>
        <source>untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>%1 (copy)</source>
        <translation>%1（副本）</translation>
    </message>
    <message>
        <source>recovered</source>
        <translation>已恢复</translation>
    </message>
    <message>
        <source>Opening “%1”: its disk does not answer yet.</source>
        <translation>正在打开“%1”：磁盘尚未响应。</translation>
    </message>
    <message>
        <source>Saving “%1”: its disk does not answer yet.</source>
        <translation>正在保存“%1”：磁盘尚未响应。</translation>
    </message>
    <message>
        <source>Importing “%1” takes a while.</source>
        <translation>“%1”的导入需要一些时间。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::DocumentTabs</name>
    <message>
        <source>Open graphs</source>
        <translation>打开的工作流</translation>
    </message>
    <message>
        <source>%1 •</source>
        <translation>%1 •</translation>
    </message>
    <message>
        <source>%1, not saved</source>
        <translation>%1，未保存</translation>
    </message>
    <message>
        <source>%1, without a file</source>
        <translation>%1，没有文件</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::DroppedFile</name>
    <message>
        <source>“%1” cannot be used</source>
        <translation>无法使用“%1”</translation>
    </message>
    <message>
        <source>No input for videos</source>
        <translation>没有视频输入</translation>
    </message>
    <message>
        <source>No input for images</source>
        <translation>没有图片输入</translation>
    </message>
    <message>
        <source>no node here reads a video from a file</source>
        <translation>这里没有从文件读取视频的节点</translation>
    </message>
    <message>
        <source>no node here reads an image from a file</source>
        <translation>这里没有从文件读取图片的节点</translation>
    </message>
    <message>
        <source>start the studio with its engine</source>
        <translation>请启动带有引擎的程序</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ExposedField</name>
    <message>
        <source>What happens to the seed when a run begins</source>
        <translation>运行开始时如何处理种子</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保持</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>Count up</source>
        <translation>递增</translation>
    </message>
    <message>
        <source>Change seed mode</source>
        <translation>更改种子模式</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>更改“%1”</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Expression</name>
    <message>
        <source>&quot;%1&quot; is not understood</source>
        <translation>无法理解“%1”</translation>
    </message>
    <message>
        <source>the result is too large</source>
        <translation>结果太大</translation>
    </message>
    <message>
        <source>it divides by zero</source>
        <translation>除数为零</translation>
    </message>
    <message>
        <source>there are too many brackets</source>
        <translation>括号太多</translation>
    </message>
    <message>
        <source>a closing bracket is missing</source>
        <translation>缺少右括号</translation>
    </message>
    <message>
        <source>a number is missing</source>
        <translation>缺少一个数</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::FactsList</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>%1 ... (%2 characters in all)</source>
        <translation>%1 ...（共 %2 个字符）</translation>
    </message>
    <message>
        <source>cannot be opened: %1</source>
        <translation>无法打开：%1</translation>
    </message>
    <message>
        <source>%1 x %2 pixels</source>
        <translation>%1 x %2 像素</translation>
    </message>
    <message>
        <source>%1, shown with %2</source>
        <translation>%1，显示为 %2</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>帧数</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>帧率</translation>
    </message>
    <message>
        <source>%1 fps</source>
        <translation>%1 帧/秒</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>工作流</translation>
    </message>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n 个节点</numerusform>
        </translation>
    </message>
    <message>
        <source>Graph as text</source>
        <translation>工作流文本</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Facts of the image</source>
        <translation>图片的信息</translation>
    </message>
    <message>
        <source>Click a line to copy it</source>
        <translation>点击一行即可复制</translation>
    </message>
    <message>
        <source>Raw</source>
        <translation>原始文本</translation>
    </message>
    <message>
        <source>The file&apos;s metadata, unchanged</source>
        <translation>文件中的文本，原样显示</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>For ComfyUI&apos;s server</source>
        <translation>供 ComfyUI 服务器使用</translation>
    </message>
    <message>
        <source>For ComfyUI&apos;s editor</source>
        <translation>供 ComfyUI 编辑器使用</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::FactsPanel</name>
    <message>
        <source>Use prompt</source>
        <translation>使用提示词</translation>
    </message>
    <message>
        <source>Put its prompts into the open graph</source>
        <translation>把它的提示词用于打开的工作流</translation>
    </message>
    <message>
        <source>Use seed</source>
        <translation>使用种子</translation>
    </message>
    <message>
        <source>Put its seed into the open graph</source>
        <translation>把它的种子用于打开的工作流</translation>
    </message>
    <message>
        <source>Use size</source>
        <translation>使用尺寸</translation>
    </message>
    <message>
        <source>Put its size into the open graph</source>
        <translation>把它的尺寸用于打开的工作流</translation>
    </message>
    <message>
        <source>Use all</source>
        <translation>使用全部</translation>
    </message>
    <message>
        <source>Put all its values into the open graph</source>
        <translation>把它的全部值用于打开的工作流</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::FileCommands</name>
    <message>
        <source>Graphs, images and videos (*.json *.png *.jpg *.jpeg *.webp *.mp4 *.webm);;All files (*)</source>
        <translation>工作流、图片和视频 (*.json *.png *.jpg *.jpeg *.webp *.mp4 *.webm);;所有文件 (*)</translation>
    </message>
    <message>
        <source>untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Open a graph</source>
        <translation>打开工作流</translation>
    </message>
    <message>
        <source>“%1” cannot be opened</source>
        <translation>无法打开“%1”</translation>
    </message>
    <message>
        <source>Already open</source>
        <translation>已经打开</translation>
    </message>
    <message>
        <source>A copy can be opened here. It is saved under another name, so neither overwrites the other&apos;s changes.</source>
        <translation>可以在这里打开副本。副本以其他名称保存，因此不会互相覆盖更改。</translation>
    </message>
    <message>
        <source>Open a copy</source>
        <translation>打开副本</translation>
    </message>
    <message>
        <source>No backups</source>
        <translation>没有备份</translation>
    </message>
    <message>
        <source>There is no backup of this graph yet. Each save keeps what it replaces, up to ten versions.</source>
        <translation>此工作流还没有备份。每次保存都会保留被替换的版本，最多十个。</translation>
    </message>
    <message>
        <source>Open a backup</source>
        <translation>打开备份</translation>
    </message>
    <message>
        <source>The graph as it was until it was saved at</source>
        <translation>保存于以下时间之前的工作流</translation>
    </message>
    <message>
        <source>The backup cannot be opened</source>
        <translation>无法打开备份</translation>
    </message>
    <message>
        <source>Changed on the disk</source>
        <translation>磁盘上的文件已更改</translation>
    </message>
    <message>
        <source>Another program has changed “%1” since it was opened or saved here.</source>
        <translation>自在此打开或保存以来，另一个程序更改了“%1”。</translation>
    </message>
    <message>
        <source>Saving here replaces what it wrote, which is kept as a backup.</source>
        <translation>在此保存会替换它写入的内容，该内容会保留为备份。</translation>
    </message>
    <message>
        <source>Save over it</source>
        <translation>覆盖保存</translation>
    </message>
    <message>
        <source>Save as...</source>
        <translation>另存为...</translation>
    </message>
    <message>
        <source>Save the graph</source>
        <translation>保存工作流</translation>
    </message>
    <message>
        <source>Graphs (*.json)</source>
        <translation>工作流 (*.json)</translation>
    </message>
    <message>
        <source>“%1” is not saved</source>
        <translation>“%1”未保存</translation>
    </message>
    <message>
        <source>This file exists and is not a graph.</source>
        <translation>此文件已存在，且内容不是工作流。</translation>
    </message>
    <message>
        <source>save under another name</source>
        <translation>请用其他名称保存</translation>
    </message>
    <message>
        <source>save under another name, or close it there first</source>
        <translation>请用其他名称保存，或先在那里关闭它</translation>
    </message>
    <message>
        <source>Not saved</source>
        <translation>未保存</translation>
    </message>
    <message>
        <source>“%1” has changes that are not saved.</source>
        <translation>“%1”有未保存的更改。</translation>
    </message>
    <message>
        <source>Throw away</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Still saving</source>
        <translation>仍在保存</translation>
    </message>
    <message>
        <source>“%1” is still being saved; its disk does not answer.</source>
        <translation>“%1”仍在保存，磁盘没有响应。</translation>
    </message>
    <message>
        <source>Close now</source>
        <translation>立即关闭</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Do not wait</source>
        <translation>不再等待</translation>
    </message>
    <message>
        <source>Unsaved changes cannot be kept for recovery: %1</source>
        <translation>无法保留未保存的更改以供恢复：%1</translation>
    </message>
    <message>
        <source>The graph of this run cannot be opened</source>
        <translation>无法打开此运行的工作流</translation>
    </message>
    <message>
        <source>The window closes when it is saved. If you close it now, the next start opens it with its changes.</source>
        <translation>保存完成后窗口会关闭。如果现在关闭，下次启动时会连同更改一起打开。</translation>
    </message>
    <message>
        <source>Groups in “%1” are damaged: what can be read of them is shown. No node is missing.</source>
        <translation>“%1”中的组已损坏：能读取的部分会显示出来。没有缺少节点。</translation>
    </message>
    <message>
        <source>The pasted text holds a workflow or settings of another program.</source>
        <translation>粘贴的文本含有其他程序的工作流或参数。</translation>
    </message>
    <message>
        <source>Open as a graph</source>
        <translation>打开为工作流</translation>
    </message>
    <message>
        <source>pasted</source>
        <translation>粘贴的内容</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::FileEditor</name>
    <message>
        <source>No folder</source>
        <translation>没有文件夹</translation>
    </message>
    <message>
        <source>No file</source>
        <translation>没有文件</translation>
    </message>
    <message>
        <source>Choose one that is known</source>
        <translation>选择已知的文件</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览...</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>选择文件夹</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>选择文件</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Filmstrip</name>
    <message>
        <source>Images around this one</source>
        <translation>此图前后的图片</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::FindNode</name>
    <message>
        <source>Find a node</source>
        <translation>查找节点</translation>
    </message>
    <message>
        <source>Name, type or value</source>
        <translation>名称、类型或值</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::FirstStart</name>
    <message>
        <source>Welcome to Lowtide</source>
        <translation>欢迎使用 Lowtide</translation>
    </message>
    <message>
        <source>What do you want to begin with?</source>
        <translation>想从哪里开始？</translation>
    </message>
    <message>
        <source>Low-memory mode</source>
        <translation>低显存模式</translation>
    </message>
    <message>
        <source>Collects unused memory after every stage; suggested up to 8 GiB. It costs a little time, images remain the same.</source>
        <translation>每个阶段后回收不用的显存；显存不超过 8 GiB 时建议开启。稍慢一些，图片不变。</translation>
    </message>
    <message>
        <source>These use the small model that comes with Lowtide. Your own checkpoints are added under Models.</source>
        <translation>这些预设使用 Lowtide 自带的小模型。您自己的检查点可在“模型”中添加。</translation>
    </message>
    <message>
        <source>Keep the graph that is open</source>
        <translation>保留打开的工作流</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Lowtide is looking for devices...</source>
        <translation>Lowtide 正在查找设备...</translation>
    </message>
    <message>
        <source>Lowtide found no device to compute on.</source>
        <translation>Lowtide 没有找到可用于计算的设备。</translation>
    </message>
    <message>
        <source>Lowtide found the graphics card %1 with %2 of memory.</source>
        <translation>Lowtide 找到了显卡 %1，显存 %2。</translation>
    </message>
    <message>
        <source>Lowtide found no graphics card and computes on the processor (%1) with %2 of memory.</source>
        <translation>Lowtide 没有找到显卡，将使用处理器（%1）计算，内存 %2。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::FrameBar</name>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1:%2 min</source>
        <translation>%1:%2 分</translation>
    </message>
    <message>
        <source>Frame</source>
        <translation>帧</translation>
    </message>
    <message>
        <source>Frame: Left and Right step, Home and End go to the first and the last</source>
        <translation>帧：左右键逐帧移动，Home 和 End 到第一帧和最后一帧</translation>
    </message>
    <message>
        <source>Pause (Space)</source>
        <translation>暂停（空格）</translation>
    </message>
    <message>
        <source>Play (Space)</source>
        <translation>播放（空格）</translation>
    </message>
    <message>
        <source>%1 / %2 · %3</source>
        <translation>%1 / %2 · %3</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::FramePanel</name>
    <message>
        <source>Crop or extend</source>
        <translation>裁剪或扩图</translation>
    </message>
    <message>
        <source>Drag edges and corners inwards to crop, beyond the image to extend it. Arrows move the frame, with Shift they change its size.</source>
        <translation>向内拖动边和角可裁剪，拖到图片外可扩图。方向键移动边框，加 Shift 更改大小。</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>自由</translation>
    </message>
    <message>
        <source>As the image</source>
        <translation>与图片相同</translation>
    </message>
    <message>
        <source>%1 : %2</source>
        <translation>%1 : %2</translation>
    </message>
    <message>
        <source>Models want sides that are multiples: 8 for Stable Diffusion, up to 64 for others</source>
        <translation>模型要求边长为倍数：Stable Diffusion 为 8，其他最多 64</translation>
    </message>
    <message>
        <source>%1 px</source>
        <translation>%1 像素</translation>
    </message>
    <message>
        <source> px</source>
        <translation> 像素</translation>
    </message>
    <message>
        <source>Over so many pixels of the old image the mask of what is new falls off, so that both join</source>
        <translation>新区域的遮罩在旧图的这些像素内渐弱，使两者衔接</translation>
    </message>
    <message>
        <source>Whole image</source>
        <translation>整张图片</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Back to the image, nothing is written (Esc)</source>
        <translation>返回图片，不写入任何内容 (Esc)</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>比例</translation>
    </message>
    <message>
        <source>Multiple of</source>
        <translation>倍数</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>重叠</translation>
    </message>
    <message>
        <source>%1 x %2 pixels</source>
        <translation>%1 x %2 像素</translation>
    </message>
    <message>
        <source>%1; what is new has the colours of the edge and is masked</source>
        <translation>%1；新的部分取边缘的颜色并被遮住</translation>
    </message>
    <message>
        <source>Extend and mask</source>
        <translation>扩图并加遮罩</translation>
    </message>
    <message>
        <source>Crop</source>
        <translation>裁剪</translation>
    </message>
    <message>
        <source>Write the larger image and paint its mask (Return)</source>
        <translation>写入更大的图片并绘制遮罩（回车）</translation>
    </message>
    <message>
        <source>Write this part as an image of its own (Return)</source>
        <translation>把此部分写为单独的图片（回车）</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::FrameTool</name>
    <message>
        <source>The frame has %1 x %2 pixels, from %3, %4 on</source>
        <translation>裁剪框为 %1 x %2 像素，左上角在 %3, %4</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Gallery</name>
    <message>
        <source>Images</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>No images yet</source>
        <translation>还没有图片</translation>
    </message>
    <message>
        <source>Every image and video that a run saves is kept here, with its graph.</source>
        <translation>运行保存的每张图片和每段视频都连同工作流收在这里。</translation>
    </message>
    <message>
        <source>No image matches</source>
        <translation>没有匹配的图片</translation>
    </message>
    <message>
        <source>Search for other words, or take the filters away.</source>
        <translation>请换个词搜索，或去掉筛选。</translation>
    </message>
    <message>
        <source>What can be done with what is selected</source>
        <translation>可以对所选内容做什么</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>查看(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>对比(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Star</source>
        <translation>加星标(&amp;S)</translation>
    </message>
    <message>
        <source>Use this &amp;graph</source>
        <translation>使用此工作流(&amp;G)</translation>
    </message>
    <message>
        <source>Use this s&amp;eed</source>
        <translation>使用此种子(&amp;E)</translation>
    </message>
    <message>
        <source>What &amp;differs from the open graph</source>
        <translation>与打开的工作流有何不同(&amp;D)</translation>
    </message>
    <message>
        <source>Use as &amp;input</source>
        <translation>用作输入(&amp;I)</translation>
    </message>
    <message>
        <source>C&amp;opy</source>
        <translation>复制(&amp;O)</translation>
    </message>
    <message>
        <source>Open the &amp;folder</source>
        <translation>打开文件夹(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Rename...</source>
        <translation>重命名(&amp;R)...</translation>
    </message>
    <message>
        <source>Move to the &amp;wastebasket</source>
        <translation>移到回收站(&amp;W)</translation>
    </message>
    <message>
        <source>Si&amp;ze</source>
        <translation>大小(&amp;Z)</translation>
    </message>
    <message>
        <source>&amp;Small</source>
        <translation>小(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Medium</source>
        <translation>中(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Large</source>
        <translation>大(&amp;L)</translation>
    </message>
    <message>
        <source>Take the &amp;star away</source>
        <translation>取消星标(&amp;S)</translation>
    </message>
    <message>
        <source>No program opens the folder “%1”.</source>
        <translation>没有程序可以打开文件夹“%1”。</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Name of the file</source>
        <translation>文件名</translation>
    </message>
    <message numerus="yes">
        <source>%n images</source>
        <translation>
            <numerusform>%n 张图片</numerusform>
        </translation>
    </message>
    <message>
        <source>Open its s&amp;heet</source>
        <translation>打开其对比表(&amp;H)</translation>
    </message>
    <message>
        <source>Ctrl+click marks several images, or Ctrl with an arrow, then Space. C compares two, Enter views one.</source>
        <translation>按住 Ctrl 点击可选中多张图片，也可按 Ctrl+方向键再按空格。C 对比两张，Enter 查看一张。</translation>
    </message>
    <message numerus="yes">
        <source>%n marked</source>
        <translation>
            <numerusform>已选中 %n 张</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>&amp;Compare: mark two first</source>
        <translation>对比(&amp;C)：先选中两张</translation>
    </message>
    <message>
        <source>The list of images cannot be read</source>
        <translation>无法读取图片列表</translation>
    </message>
    <message>
        <source>The files themselves are untouched. A notice says why; the list is read again at the next change.</source>
        <translation>图片文件本身没有变动。通知说明了原因；下次有变化时会重新读取列表。</translation>
    </message>
    <message>
        <source>Use this &amp;prompt</source>
        <translation>使用此提示词(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Use this size</source>
        <translation>使用此尺寸(&amp;U)</translation>
    </message>
    <message>
        <source>Use &amp;all values</source>
        <translation>使用全部值(&amp;A)</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::GalleryController</name>
    <message>
        <source>Runs are not kept: %1</source>
        <translation>不保留运行记录：%1</translation>
    </message>
    <message>
        <source>The graph of this run cannot be opened</source>
        <translation>无法打开此运行的工作流</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>选择</translation>
    </message>
    <message>
        <source>Every run of earlier times has ended.</source>
        <translation>以前的运行都已结束。</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>The next one is “%1”.</source>
        <translation>下一个是“%1”。</translation>
    </message>
    <message>
        <source>Run them now</source>
        <translation>现在运行</translation>
    </message>
    <message>
        <source>Forget them</source>
        <translation>放弃它们</translation>
    </message>
    <message>
        <source>Ask next time</source>
        <translation>下次再问</translation>
    </message>
    <message numerus="yes">
        <source>%n runs had not ended when the studio did.</source>
        <translation>
            <numerusform>程序关闭时有 %n 个运行尚未结束。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of these runs have been taken by another studio.</source>
        <translation>
            <numerusform>其中 %n 个运行已由另一个程序接手。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::GalleryFilter</name>
    <message>
        <source>Search images</source>
        <translation>搜索图片</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Graph or preset</source>
        <translation>工作流或预设</translation>
    </message>
    <message>
        <source>When it was made</source>
        <translation>生成时间</translation>
    </message>
    <message>
        <source>At any time</source>
        <translation>任何时间</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>最近 7 天</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>最近 30 天</translation>
    </message>
    <message>
        <source>Only starred images</source>
        <translation>仅星标图片</translation>
    </message>
    <message>
        <source>All models</source>
        <translation>所有模型</translation>
    </message>
    <message>
        <source>All graphs</source>
        <translation>所有工作流</translation>
    </message>
    <message>
        <source>Words of the prompt, the title, the models or the file&apos;s name. Down goes to the images.</source>
        <translation>提示词、标题、模型或文件名中的词。按下箭头键转到图片。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::GalleryRemoval</name>
    <message numerus="yes">
        <source>%n images are in the wastebasket.</source>
        <translation>
            <numerusform>%n 张图片已移到回收站。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n images without a file are taken from the list.</source>
        <translation>
            <numerusform>已从列表中移除 %n 张没有文件的图片。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n images are back.</source>
        <translation>
            <numerusform>已恢复 %n 张图片。</numerusform>
        </translation>
    </message>
    <message>
        <source>“%1” cannot be moved to the wastebasket: %2. It remains where it is.</source>
        <translation>无法把“%1”移到回收站：%2。文件留在原处。</translation>
    </message>
    <message>
        <source>its folder “%1” cannot be made</source>
        <translation>无法创建文件夹“%1”</translation>
    </message>
    <message>
        <source>there is none</source>
        <translation>没有回收站</translation>
    </message>
    <message>
        <source>“%1” is no name for a file. Choose one without “/” that does not begin with a dot.</source>
        <translation>“%1”不能作为文件名。请使用不含“/”且不以点开头的名称。</translation>
    </message>
    <message>
        <source>There is a file “%1” already. Choose another name.</source>
        <translation>已有文件“%1”。请换一个名称。</translation>
    </message>
    <message>
        <source>“%1” cannot be renamed: %2.</source>
        <translation>无法重命名“%1”：%2。</translation>
    </message>
    <message>
        <source>There is a file “%1” again. The one that was removed remains in the wastebasket.</source>
        <translation>又有了名为“%1”的文件。移除的文件仍在回收站中。</translation>
    </message>
    <message>
        <source>“%1” is not in the wastebasket any more.</source>
        <translation>“%1”已不在回收站中。</translation>
    </message>
    <message>
        <source>“%1” cannot be taken from the wastebasket: %2. It remains there.</source>
        <translation>无法从回收站取回“%1”：%2。它仍在回收站中。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::GalleryRows</name>
    <message>
        <source>%1, %2, %3</source>
        <translation>%1，%2，%3</translation>
    </message>
    <message>
        <source>%1
%2
%3</source>
        <translation>%1
%2
%3</translation>
    </message>
    <message>
        <source>%1
%2
%3 x %4 pixels, %5</source>
        <translation>%1
%2
%3 x %4 像素，%5</translation>
    </message>
    <message>
        <source>%1, starred</source>
        <translation>%1，已加星标</translation>
    </message>
    <message>
        <source>%1, its file is gone</source>
        <translation>%1，文件已不存在</translation>
    </message>
    <message>
        <source>%1, marked</source>
        <translation>%1，已选中</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::GenerateForm</name>
    <message>
        <source>No values are shown here yet</source>
        <translation>这里还没有显示任何值</translation>
    </message>
    <message>
        <source>Right-click a value of a node and choose “Show in Generate”. Prompt, size and seed are a good start. Presets come with their own.</source>
        <translation>右键点击节点的值并选择“在“生成”中显示”。可以先从提示词、尺寸和种子开始。预设已自带这些值。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Queue one more run after the current one</source>
        <translation>在当前运行之后再加入一个运行</translation>
    </message>
    <message>
        <source>Not known here, kept as they are: %1</source>
        <translation>这里不认识，原样保留：%1</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::GraphView</name>
    <message>
        <source>Graph</source>
        <translation>工作流</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Double-click or press Tab to add the first node.
Drop a graph or one of its images to open it.</source>
        <translation>双击或按 Tab 添加第一个节点。
把工作流或它生成的图片拖到这里即可打开。</translation>
    </message>
    <message>
        <source>Keep bookmark %1</source>
        <translation>保存书签 %1</translation>
    </message>
    <message>
        <source>This view is bookmark %1 now.</source>
        <translation>此视图现在是书签 %1。</translation>
    </message>
    <message>
        <source>Bookmark %1 is free; View, Keep as bookmark gives it a view.</source>
        <translation>书签 %1 是空的；可用“视图 &gt; 保存为书签”保存视图。</translation>
    </message>
    <message>
        <source>Frame</source>
        <translation>框</translation>
    </message>
    <message>
        <source>Add note</source>
        <translation>添加便签</translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>折叠</translation>
    </message>
    <message>
        <source>Straighten wire</source>
        <translation>拉直连线</translation>
    </message>
    <message>
        <source>Bend wire</source>
        <translation>弯折连线</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制一份</translation>
    </message>
    <message>
        <source>Duplicate with wires</source>
        <translation>连同连线复制一份</translation>
    </message>
    <message>
        <source>Mute</source>
        <translation>禁用</translation>
    </message>
    <message>
        <source>A node can be bypassed only where an input of the same type as an output can be passed on.</source>
        <translation>只有当某个输入与输出类型相同、可以直接传递时，才能绕过节点。</translation>
    </message>
    <message>
        <source>Bypass</source>
        <translation>绕过</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Align</source>
        <translation>对齐</translation>
    </message>
    <message>
        <source>Distribute</source>
        <translation>分布</translation>
    </message>
    <message>
        <source>Arrange</source>
        <translation>整理</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1, optional</source>
        <translation>%1，可选</translation>
    </message>
    <message>
        <source>Changes the image a little: %1</source>
        <translation>会轻微改变图片：%1</translation>
    </message>
    <message>
        <source>Muted: neither this node nor anything that depends on it runs.</source>
        <translation>已禁用：此节点和依赖它的节点都不运行。</translation>
    </message>
    <message>
        <source>Bypassed: its input passes through unchanged.</source>
        <translation>已绕过：输入原样通过。</translation>
    </message>
    <message>
        <source>This type of node is not known here. The node is kept as it is.</source>
        <translation>这里没有此类节点。节点会原样保留。</translation>
    </message>
    <message>
        <source>%1: %2 to %3</source>
        <translation>%1：%2 到 %3</translation>
    </message>
    <message>
        <source>Blue</source>
        <translation>蓝色</translation>
    </message>
    <message>
        <source>Green</source>
        <translation>绿色</translation>
    </message>
    <message>
        <source>Amber</source>
        <translation>琥珀色</translation>
    </message>
    <message>
        <source>Red</source>
        <translation>红色</translation>
    </message>
    <message>
        <source>Violet</source>
        <translation>紫色</translation>
    </message>
    <message>
        <source>Grey</source>
        <translation>灰色</translation>
    </message>
    <message>
        <source>Use for new nodes</source>
        <translation>用于新节点</translation>
    </message>
    <message>
        <source>New nodes as described</source>
        <translation>新节点使用默认值</translation>
    </message>
    <message>
        <source>Show in Generate</source>
        <translation>在“生成”中显示</translation>
    </message>
    <message>
        <source>Set to default</source>
        <translation>恢复默认值</translation>
    </message>
    <message>
        <source>Run to here</source>
        <translation>运行到此处</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Edit text</source>
        <translation>编辑文字</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>Paste with wires</source>
        <translation>连同连线粘贴</translation>
    </message>
    <message>
        <source>The clipboard holds no nodes and no image to paste.</source>
        <translation>剪贴板中没有可粘贴的节点或图片。</translation>
    </message>
    <message>
        <source>The text in the clipboard is no graph: %1</source>
        <translation>剪贴板中的文本不是工作流：%1</translation>
    </message>
    <message>
        <source>Select the one node to wire.</source>
        <translation>请选中一个要连线的节点。</translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation>添加“%1”</translation>
    </message>
    <message>
        <source>Vary in a sheet...</source>
        <translation>生成对比表...</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>便签</translation>
    </message>
    <message>
        <source>Holds %1</source>
        <translation>包含 %1</translation>
    </message>
    <message>
        <source>Select</source>
        <translation>选择</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>展开</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n 个节点</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n wire(s)</source>
        <translation>
            <numerusform>%n 条连线</numerusform>
        </translation>
    </message>
    <message>
        <source>Show menu</source>
        <translation>显示菜单</translation>
    </message>
    <message>
        <source>Edit values</source>
        <translation>编辑数值</translation>
    </message>
    <message>
        <source>Preview of %1</source>
        <translation>%1 的预览</translation>
    </message>
    <message>
        <source>Image of %1</source>
        <translation>%1 的图片</translation>
    </message>
    <message>
        <source>%1 x %2 pixels</source>
        <translation>%1 x %2 像素</translation>
    </message>
    <message>
        <source>Show in the viewer</source>
        <translation>在查看器中显示</translation>
    </message>
    <message>
        <source>Go to the other end</source>
        <translation>转到另一端</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>断开连接</translation>
    </message>
    <message>
        <source>Output, to %1.</source>
        <translation>输出，连到 %1。</translation>
    </message>
    <message>
        <source>Input, from %1.</source>
        <translation>输入，来自 %1。</translation>
    </message>
    <message>
        <source>Output, not connected.</source>
        <translation>输出，未连接。</translation>
    </message>
    <message>
        <source>Input, not connected.</source>
        <translation>输入，未连接。</translation>
    </message>
    <message>
        <source>Input, not connected; it is needed.</source>
        <translation>输入，未连接；必须连接。</translation>
    </message>
    <message>
        <source>Wire from %1 to %2</source>
        <translation>从 %1 到 %2 的连线</translation>
    </message>
    <message>
        <source>Switch</source>
        <translation>切换</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>更改 %1</translation>
    </message>
    <message>
        <source>None of the selected nodes has more than one unused input.</source>
        <translation>所选节点都没有多个未使用的输入。</translation>
    </message>
    <message>
        <source>Unused inputs</source>
        <translation>未使用的输入</translation>
    </message>
    <message>
        <source>Add a node</source>
        <translation>添加节点</translation>
    </message>
    <message>
        <source>Fold the inputs without a wire</source>
        <translation>收起没有连线的输入</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>组</translation>
    </message>
    <message>
        <source>Select two nodes or more, but not all that a group holds already.</source>
        <translation>请选择两个或更多节点，但不要选择某个组已包含的全部节点。</translation>
    </message>
    <message>
        <source>Ungroup</source>
        <translation>解散组</translation>
    </message>
    <message>
        <source>Select a group, or nodes that lie in one.</source>
        <translation>请选择一个组，或组内的节点。</translation>
    </message>
    <message>
        <source>Take out of the group</source>
        <translation>移出组</translation>
    </message>
    <message>
        <source>Open group</source>
        <translation>展开组</translation>
    </message>
    <message>
        <source>Open group, holds %1</source>
        <translation>展开组，包含 %1</translation>
    </message>
    <message>
        <source>Fold group</source>
        <translation>折叠组</translation>
    </message>
    <message>
        <source>Several nodes shown as one. Double-click or press Enter to open it.</source>
        <translation>显示为一个节点的多个节点。双击或按 Enter 展开。</translation>
    </message>
    <message>
        <source>Show on the group “%1”</source>
        <translation>在组“%1”上显示</translation>
    </message>
    <message>
        <source>Show on the group</source>
        <translation>在组上显示</translation>
    </message>
    <message>
        <source>Rename the port</source>
        <translation>重命名端口</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::GuideWindow</name>
    <message>
        <source>Find in this page</source>
        <translation>在本页中查找</translation>
    </message>
    <message>
        <source>Back (Alt+Left)</source>
        <translation>返回 (Alt+左)</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>使用指南</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>“%1” is not on this page.</source>
        <translation>本页中没有“%1”。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::HashSearchDialog</name>
    <message>
        <source>No model has this name. Its hash is known: %1.</source>
        <translation>没有模型使用这个名称，但已知它的哈希：%1。</translation>
    </message>
    <message numerus="yes">
        <source>%n models of this kind have no hash yet. The search reads %1 at most, until one has it; hashes are kept.</source>
        <translation>
            <numerusform>有 %n 个同类模型尚未计算哈希。搜索最多读取 %1，找到即停止；哈希会保存。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files could not be read:</source>
        <translation>
            <numerusform>有 %n 个文件无法读取：</numerusform>
        </translation>
    </message>
    <message>
        <source>Found:</source>
        <translation>已找到：</translation>
    </message>
    <message>
        <source>Cancelled. Hashes made so far are kept.</source>
        <translation>已取消。已算出的哈希会保留。</translation>
    </message>
    <message>
        <source>None of them has this hash.</source>
        <translation>其中没有哈希相符的模型。</translation>
    </message>
    <message>
        <source>Choose a file...</source>
        <translation>选择文件...</translation>
    </message>
    <message>
        <source>Find %1 by its hash</source>
        <translation>按哈希查找 %1</translation>
    </message>
    <message>
        <source>Progress of the search</source>
        <translation>搜索进度</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>正在读取 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Search by hash</source>
        <translation>按哈希搜索</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ImageDrop</name>
    <message>
        <source>Dropped image</source>
        <translation>拖入的图片</translation>
    </message>
    <message>
        <source>%1 carries the graph that made it.</source>
        <translation>%1 带有生成它的工作流。</translation>
    </message>
    <message>
        <source>Open graph</source>
        <translation>打开工作流</translation>
    </message>
    <message>
        <source>Use as input</source>
        <translation>用作输入</translation>
    </message>
    <message>
        <source>Do this for every dropped image</source>
        <translation>对所有拖入的图片都这样做</translation>
    </message>
    <message>
        <source>%1 carries a workflow or settings of another program.</source>
        <translation>%1 带有其他程序的工作流或参数。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ImagePresets</name>
    <message>
        <source>Use in a &amp;preset</source>
        <translation>在预设中使用(&amp;P)</translation>
    </message>
    <message>
        <source>Files that it needs are not there.</source>
        <translation>缺少它所需的文件。</translation>
    </message>
    <message>
        <source>No preset begins with one</source>
        <translation>没有以图片开头的预设</translation>
    </message>
    <message>
        <source>Looking for the files of presets…</source>
        <translation>正在查找预设所需的文件…</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ImageView</name>
    <message>
        <source>Image</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Image %1</source>
        <translation>图片 %1</translation>
    </message>
    <message>
        <source>No image is shown.</source>
        <translation>没有显示图片。</translation>
    </message>
    <message>
        <source>%1 x %2 pixels</source>
        <translation>%1 x %2 像素</translation>
    </message>
    <message>
        <source>shown at %1 %</source>
        <translation>以 %1% 显示</translation>
    </message>
    <message>
        <source>two images, side by side</source>
        <translation>两张图片，并排</translation>
    </message>
    <message>
        <source>two images, their difference</source>
        <translation>两张图片，差异</translation>
    </message>
    <message>
        <source>two images, the line at %1 %</source>
        <translation>两张图片，分界线在 %1%</translation>
    </message>
    <message>
        <source>%1 on the left</source>
        <translation>左侧为 %1</translation>
    </message>
    <message>
        <source>%1 on the right</source>
        <translation>右侧为 %1</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ImportReports</name>
    <message numerus="yes">
        <source>%n exact</source>
        <translation>
            <numerusform>%n 个完全一致</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n near</source>
        <translation>
            <numerusform>%n 个近似</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n missing</source>
        <translation>
            <numerusform>缺少 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Imported “%1”: %2.</source>
        <translation>已导入“%1”：%2。</translation>
    </message>
    <message numerus="yes">
        <source>%n outputs are muted: they need a node that is not here.</source>
        <translation>
            <numerusform>%n 个输出已禁用：它们需要这里没有的节点。</numerusform>
        </translation>
    </message>
    <message>
        <source>Find files...</source>
        <translation>查找文件...</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Inspector</name>
    <message>
        <source>The node type “%1” is not installed here.

The node keeps its values and wires, and they are saved again as they are. The graph cannot run until the type is there, or the node is muted, bypassed or removed.</source>
        <translation>此处未安装节点类型“%1”。

节点会保留它的值和连线，并原样保存。在安装该类型之前，或在禁用、绕过或移除此节点之前，工作流无法运行。</translation>
    </message>
    <message>
        <source>%L1 s</source>
        <translation>%L1 秒</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>will hold %1</source>
        <translation>将占用 %1</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source># The graph

Select a node to read what it does. What is set here applies to every node without a setting of its own.</source>
        <translation># 工作流

选中一个节点即可查看它的作用。这里的设置适用于所有没有单独设置的节点。</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>工作流</translation>
    </message>
    <message>
        <source>What they have in common; a change applies to all.</source>
        <translation>它们共有的值；更改会应用于全部。</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n 个节点</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::InspectorGraph</name>
    <message>
        <source>Set here</source>
        <translation>在此设置</translation>
    </message>
    <message>
        <source>Refuse every lossy choice</source>
        <translation>拒绝一切有损选项</translation>
    </message>
    <message>
        <source>Free memory less 5 %</source>
        <translation>可用显存减去 5%</translation>
    </message>
    <message>
        <source>Most bytes that a run may hold on its device: 6GiB, 800MiB</source>
        <translation>一次运行在设备上最多占用的大小：6GiB、800MiB</translation>
    </message>
    <message>
        <source>Where networks run, unless a node says otherwise</source>
        <translation>网络在哪里运行，除非节点另有设置</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>On: collects what is unused after every stage. Automatic: on devices up to 8 GiB.</source>
        <translation>开：每个阶段后回收不用的显存。自动：用于不超过 8 GiB 的设备。</translation>
    </message>
    <message>
        <source> %</source>
        <translation>%</translation>
    </message>
    <message>
        <source>Memory is collected between stages when it is this full</source>
        <translation>显存占用达到此比例时，在阶段之间回收</translation>
    </message>
    <message>
        <source>A node that trades precision or steps for speed is refused by name</source>
        <translation>拒绝以精度或步数换取速度的节点，并指出是哪个节点</translation>
    </message>
    <message>
        <source>Memory budget</source>
        <translation>显存预算</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Low-memory mode</source>
        <translation>低显存模式</translation>
    </message>
    <message>
        <source>Collect memory at</source>
        <translation>显存回收阈值</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>Change when memory is collected</source>
        <translation>更改显存回收阈值</translation>
    </message>
    <message>
        <source>Change exact</source>
        <translation>更改“精确”</translation>
    </message>
    <message>
        <source>Change the memory budget</source>
        <translation>更改显存预算</translation>
    </message>
    <message>
        <source>Change the device</source>
        <translation>更改设备</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::InspectorParams</name>
    <message>
        <source>These nodes share no parameter.</source>
        <translation>这些节点没有共同的参数。</translation>
    </message>
    <message>
        <source>This node has no parameters.</source>
        <translation>此节点没有参数。</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>高级</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>更改“%1”</translation>
    </message>
    <message>
        <source>Show %1 under Generate</source>
        <translation>在“生成”中显示“%1”</translation>
    </message>
    <message>
        <source>Remove %1 from Generate</source>
        <translation>从“生成”中移除“%1”</translation>
    </message>
    <message>
        <source>Change what happens to %1</source>
        <translation>更改“%1”的处理方式</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::InspectorRow</name>
    <message>
        <source>different values</source>
        <translation>不同的值</translation>
    </message>
    <message>
        <source>Back to the default: %1</source>
        <translation>恢复默认值：%1</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保持</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>Count up</source>
        <translation>递增</translation>
    </message>
    <message>
        <source>What happens to the seed when you press Run. The seed that is shown is the one that is used.</source>
        <translation>按下“运行”时如何处理种子。显示的种子就是所用的种子。</translation>
    </message>
    <message>
        <source>Shown under Generate; click to remove it</source>
        <translation>已在“生成”中显示；点击可移除</translation>
    </message>
    <message>
        <source>Show %1 under Generate</source>
        <translation>在“生成”中显示“%1”</translation>
    </message>
    <message>
        <source>Restore the default of %1</source>
        <translation>恢复 %1 的默认值</translation>
    </message>
    <message>
        <source>Show %1 in Generate</source>
        <translation>在“生成”中显示 %1</translation>
    </message>
    <message>
        <source>Vary in a sheet, as columns (&amp;X)...</source>
        <translation>在对比表中变化，作为列(&amp;X)...</translation>
    </message>
    <message>
        <source>Vary in a sheet, as rows (&amp;Y)...</source>
        <translation>在对比表中变化，作为行(&amp;Y)...</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::InspectorSections</name>
    <message>
        <source>auto</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Change the memory policy</source>
        <translation>更改显存策略</translation>
    </message>
    <message>
        <source>Change the precision</source>
        <translation>更改精度</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::IssueRows</name>
    <message>
        <source>the graph</source>
        <translation>工作流</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Memory budget</source>
        <translation>显存预算</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>node, parameter</comment>
        <translation>%1，%2</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::IssuesPanel</name>
    <message>
        <source>Copy all issues as a report</source>
        <translation>把所有问题复制为报告</translation>
    </message>
    <message>
        <source>Issues</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>No issues: the graph can run.</source>
        <translation>没有问题：工作流可以运行。</translation>
    </message>
    <message>
        <source>What can be done:</source>
        <translation>可以这样做：</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message numerus="yes">
        <source>%n errors</source>
        <translation>
            <numerusform>%n 个错误</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warnings</source>
        <translation>
            <numerusform>%n 个警告</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::KeysSheet</name>
    <message>
        <source>Back to the default</source>
        <translation>恢复默认</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Search for an action or a key</source>
        <translation>搜索操作或快捷键</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>新快捷键</translation>
    </message>
    <message>
        <source>Choose an action to change its key.</source>
        <translation>选择一个操作以更改其快捷键。</translation>
    </message>
    <message>
        <source>%1 is the key of “%2”. Give that one another key first.</source>
        <translation>%1 是“%2”的快捷键。请先给它换一个快捷键。</translation>
    </message>
    <message>
        <source>%1 opens the menu “%2”. Choose another key.</source>
        <translation>%1 会打开菜单“%2”。请换一个快捷键。</translation>
    </message>
    <message>
        <source>A default key is now that of “%1”. Give that one another key first.</source>
        <translation>默认快捷键现在属于“%1”。请先给它换一个快捷键。</translation>
    </message>
    <message>
        <source>  or  </source>
        <translation>  或  </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::LanguageSwitch</name>
    <message>
        <source>Language of the program</source>
        <translation>程序的语言</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::LocateFile</name>
    <message>
        <source>Locate %1</source>
        <translation>查找 %1</translation>
    </message>
    <message>
        <source>Where is %1?</source>
        <translation>%1 在哪里？</translation>
    </message>
    <message>
        <source>Files like it (*.%1)</source>
        <translation>同类文件 (*.%1)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Others are missing too</source>
        <translation>还缺少其他文件</translation>
    </message>
    <message>
        <source>The same folder holds the other missing files of this graph. Use them as well?</source>
        <translation>此工作流缺少的其他文件也在同一文件夹中。要一起使用吗？</translation>
    </message>
    <message>
        <source>Use all</source>
        <translation>全部使用</translation>
    </message>
    <message>
        <source>Only the chosen one</source>
        <translation>仅使用所选文件</translation>
    </message>
    <message>
        <source>for %1</source>
        <translation>用于 %1</translation>
    </message>
    <message>
        <source>%1, for %2</source>
        <translation>%1，用于 %2</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::LogModel</name>
    <message>
        <source>debug</source>
        <translation>调试</translation>
    </message>
    <message>
        <source>info</source>
        <translation>信息</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>studio</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>%1, %2, %3: %4</source>
        <translation>%1，%2，%3：%4</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::LogPanel</name>
    <message>
        <source>Least level</source>
        <translation>最低级别</translation>
    </message>
    <message>
        <source>Show lines of this level and above</source>
        <translation>显示此级别及以上的行</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Information</source>
        <translation>信息</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>搜索日志</translation>
    </message>
    <message>
        <source>Follow: keep the newest line in sight</source>
        <translation>跟随：始终显示最新的行</translation>
    </message>
    <message>
        <source>Copy the selected lines, or all that are shown</source>
        <translation>复制所选的行，或显示的全部行</translation>
    </message>
    <message>
        <source>Save these lines to a file...</source>
        <translation>把这些行保存到文件...</translation>
    </message>
    <message>
        <source>Clear the list</source>
        <translation>清空列表</translation>
    </message>
    <message>
        <source>Report a problem...</source>
        <translation>报告问题...</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>The log is empty.</source>
        <translation>日志是空的。</translation>
    </message>
    <message>
        <source>No line of this level has that text.</source>
        <translation>此级别没有含有该文本的行。</translation>
    </message>
    <message>
        <source>Save the log</source>
        <translation>保存日志</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MainWindowController</name>
    <message>
        <source>%1 holds %2, %3 are free</source>
        <translation>%1 占用 %2，可用 %3</translation>
    </message>
    <message>
        <source>%1 holds %2</source>
        <translation>%1 占用 %2</translation>
    </message>
    <message>
        <source>Nothing is held on a device</source>
        <translation>设备上没有占用</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Undo: %1</source>
        <translation>撤销(&amp;U)：%1</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Redo: %1</source>
        <translation>重做(&amp;R)：%1</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Click into a prompt first.</source>
        <translation>请先点击一个提示词。</translation>
    </message>
    <message>
        <source>Styles: %1</source>
        <translation>风格：%1</translation>
    </message>
    <message>
        <source>The log is saved as %1.</source>
        <translation>日志已保存为 %1。</translation>
    </message>
    <message>
        <source>The log is not saved: %1.</source>
        <translation>日志未保存：%1。</translation>
    </message>
    <message>
        <source>No program opens the folder “%1”.</source>
        <translation>没有程序可以打开文件夹“%1”。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MainWindowWidgets</name>
    <message>
        <source>Graph</source>
        <translation>工作流</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>Generate</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Issues</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Viewer</source>
        <translation>查看器</translation>
    </message>
    <message>
        <source>Gallery</source>
        <translation>图库</translation>
    </message>
    <message>
        <source>Sheet</source>
        <translation>对比表</translation>
    </message>
    <message>
        <source>Issues (%1)</source>
        <translation>问题 (%1)</translation>
    </message>
    <message>
        <source>New graph</source>
        <translation>新建工作流</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MaintenanceJob</name>
    <message>
        <source>a run is at work; try again when it has ended</source>
        <translation>有运行正在进行；请在结束后重试</translation>
    </message>
    <message>
        <source>the module refused without saying why</source>
        <translation>模块拒绝了请求，但没有说明原因</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MaskController</name>
    <message>
        <source>Writing the mask...</source>
        <translation>正在写入遮罩...</translation>
    </message>
    <message>
        <source>The mask cannot be written: %1</source>
        <translation>无法写入遮罩：%1</translation>
    </message>
    <message>
        <source>Inpaint %1</source>
        <translation>局部重绘 %1</translation>
    </message>
    <message>
        <source>The graph regenerates the masked part of “%1”; every other pixel is kept. Describe in the prompt what belongs there, then press Run.</source>
        <translation>工作流会重绘“%1”中遮住的部分；其余像素不变。请在提示词中写明那里的内容，再按“运行”。</translation>
    </message>
    <message>
        <source>No node of this graph fills masks. Open a preset, such as Inpaint, and use the mask again; it is kept with its image.</source>
        <translation>此工作流中没有局部重绘的节点。请打开“局部重绘”等预设，再使用遮罩；遮罩与图片一起保留。</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>No nodes that fill masks are here: start the studio with its engine. The mask is kept with its image.</source>
        <translation>这里没有局部重绘的节点：请启动带有引擎的程序。遮罩与图片一起保留。</translation>
    </message>
    <message>
        <source>The image has no file yet and cannot be written: %1</source>
        <translation>图片还没有文件，且无法写入：%1</translation>
    </message>
    <message>
        <source>Nothing was written: %1</source>
        <translation>没有写入任何内容：%1</translation>
    </message>
    <message>
        <source>What is new is masked; paint to change it.</source>
        <translation>新增部分已加入遮罩；可继续涂抹修改。</translation>
    </message>
    <message>
        <source>Save the graph first: only masks next to its file can be removed.</source>
        <translation>请先保存工作流：只能移除其文件旁的遮罩。</translation>
    </message>
    <message>
        <source>The graphs of some earlier runs are lost. Remove their images from the gallery first.</source>
        <translation>一些以往运行的工作流已丢失。请先从图库移除它们的图片。</translation>
    </message>
    <message>
        <source>Nothing is removed, because files may be in use: %1</source>
        <translation>文件可能仍在使用，因此什么也没有移除：%1</translation>
    </message>
    <message>
        <source>There is nothing to remove: all masks, crops and extended images next to “%1” are in use.</source>
        <translation>没有可移除的文件：“%1”旁的遮罩、裁剪和扩图都在使用。</translation>
    </message>
    <message numerus="yes">
        <source>%n files are in the wastebasket.</source>
        <translation>
            <numerusform>%n 个文件已移到回收站。</numerusform>
        </translation>
    </message>
    <message>
        <source>Prompt for this part</source>
        <translation>这一部分的提示词</translation>
    </message>
    <message>
        <source>What should this area of %1 x %2 pixels show?</source>
        <translation>%1 x %2 像素的这一部分应是什么内容？</translation>
    </message>
    <message>
        <source>Prompt for a part</source>
        <translation>局部提示词</translation>
    </message>
    <message>
        <source>The nodes for regional prompts are missing: start the studio with its engine.</source>
        <translation>这里没有限定提示词范围的节点：请启动带有引擎的程序。</translation>
    </message>
    <message>
        <source>No node of this graph encodes a prompt that a sampler follows.</source>
        <translation>此工作流中没有为采样编码提示词的节点。</translation>
    </message>
    <message>
        <source>The part follows its own prompt, and the whole image the other one. Press Run.</source>
        <translation>这一部分遵循自己的提示词，整张图片遵循原来的提示词。请按“运行”。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MaskList</name>
    <message>
        <source>Add a mask</source>
        <translation>添加遮罩</translation>
    </message>
    <message>
        <source>Delete this mask (Del in the list)</source>
        <translation>删除此遮罩（在列表中按 Del）</translation>
    </message>
    <message>
        <source>Masks of the image</source>
        <translation>图片的遮罩</translation>
    </message>
    <message>
        <source>Click a mask to paint it, double-click it or press F2 to rename it. Its box shows it over the image.</source>
        <translation>单击遮罩即可绘制，双击或按 F2 重命名。勾选后显示在图片上。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MaskPanel</name>
    <message>
        <source>Erase (E); X swaps, the right button paints</source>
        <translation>擦除 (E)；X 切换，右键涂抹</translation>
    </message>
    <message>
        <source>Undo the last change of the mask (Ctrl+Z)</source>
        <translation>撤销遮罩的上次更改 (Ctrl+Z)</translation>
    </message>
    <message>
        <source>Redo it (Ctrl+Y)</source>
        <translation>重做 (Ctrl+Y)</translation>
    </message>
    <message>
        <source> px</source>
        <translation> 像素</translation>
    </message>
    <message>
        <source>Diameter in pixels of the image: [ and ], Ctrl+wheel, or Alt and drag</source>
        <translation>直径，以图片像素计：[ 和 ]、Ctrl+滚轮，或 Alt 加拖动</translation>
    </message>
    <message>
        <source> %</source>
        <translation>%</translation>
    </message>
    <message>
        <source>How far from its middle the brush covers whole: { and }, or Shift+wheel</source>
        <translation>画笔从中心起完全覆盖的范围：{ 和 }，或 Shift+滚轮</translation>
    </message>
    <message>
        <source>Most that one stroke covers; a pen&apos;s pressure lowers it</source>
        <translation>一笔最多覆盖的程度；压感笔可减轻</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Hardness</source>
        <translation>硬度</translation>
    </message>
    <message>
        <source>Opacity</source>
        <translation>不透明度</translation>
    </message>
    <message>
        <source>By how many pixels the mask grows, shrinks, or is softened</source>
        <translation>遮罩扩展、收缩或柔化的像素数</translation>
    </message>
    <message>
        <source>Invert</source>
        <translation>反转</translation>
    </message>
    <message>
        <source>What is masked is kept, what is not is regenerated (I)</source>
        <translation>遮住的保留，未遮住的重绘 (I)</translation>
    </message>
    <message>
        <source>Fill</source>
        <translation>填满</translation>
    </message>
    <message>
        <source>Mask the whole image</source>
        <translation>遮住整张图片</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Mask nothing (Del)</source>
        <translation>不遮任何部分 (Del)</translation>
    </message>
    <message>
        <source>Grow</source>
        <translation>扩展</translation>
    </message>
    <message>
        <source>Make the mask larger all around</source>
        <translation>向四周扩大遮罩</translation>
    </message>
    <message>
        <source>Shrink</source>
        <translation>收缩</translation>
    </message>
    <message>
        <source>Make the mask smaller all around</source>
        <translation>向内缩小遮罩</translation>
    </message>
    <message>
        <source>Feather</source>
        <translation>羽化</translation>
    </message>
    <message>
        <source>Soften the edge: a Gaussian blur with that standard deviation</source>
        <translation>柔化边缘：以此为标准差的高斯模糊</translation>
    </message>
    <message>
        <source>Whole mask</source>
        <translation>整个遮罩</translation>
    </message>
    <message>
        <source>By</source>
        <translation>幅度</translation>
    </message>
    <message>
        <source>Red</source>
        <translation>红色</translation>
    </message>
    <message>
        <source>Green</source>
        <translation>绿色</translation>
    </message>
    <message>
        <source>Blue</source>
        <translation>蓝色</translation>
    </message>
    <message>
        <source>White</source>
        <translation>白色</translation>
    </message>
    <message>
        <source>Black</source>
        <translation>黑色</translation>
    </message>
    <message>
        <source>How much of the image the mask hides on the screen</source>
        <translation>遮罩在屏幕上遮住图片的程度</translation>
    </message>
    <message>
        <source>Shown as</source>
        <translation>显示为</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>强度</translation>
    </message>
    <message>
        <source>Use as inpaint mask</source>
        <translation>用作重绘遮罩</translation>
    </message>
    <message>
        <source>The graph regenerates the masked part; every other pixel is kept (Return)</source>
        <translation>工作流重绘遮住的部分；其余像素不变（回车）</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Back to the image; the mask is kept (Esc)</source>
        <translation>返回图片；遮罩会保留 (Esc)</translation>
    </message>
    <message>
        <source>Working...</source>
        <translation>正在处理...</translation>
    </message>
    <message>
        <source>How much a colour may differ from the one that Fill is pressed on</source>
        <translation>颜色与填充所按处最多相差多少</translation>
    </message>
    <message>
        <source>Tolerance</source>
        <translation>容差</translation>
    </message>
    <message>
        <source>Paint (B); the right button erases</source>
        <translation>涂抹 (B)；右键擦除</translation>
    </message>
    <message>
        <source>Rectangle (R): drag; with Shift a square, with Alt or the right button it unmasks</source>
        <translation>矩形 (R)：拖动；按住 Shift 为正方形，按住 Alt 或用右键则去除遮罩</translation>
    </message>
    <message>
        <source>Lasso (L): drag around a part, or click its corners and end with Return; with Alt or the right button it unmasks</source>
        <translation>套索 (L)：拖动圈出一部分，或逐个点击角并按回车结束；按住 Alt 或用右键则去除遮罩</translation>
    </message>
    <message>
        <source>Fill (G): click an area of one colour; with Alt or the right button it is unmasked</source>
        <translation>填充 (G)：按在同色的部分上；按住 Alt 或用右键则去除遮罩</translation>
    </message>
    <message>
        <source>Prompt for this part...</source>
        <translation>这一部分的提示词...</translation>
    </message>
    <message>
        <source>Masks</source>
        <translation>遮罩</translation>
    </message>
    <message>
        <source>What is masked gets a prompt of its own; a rectangle is denoised as an image by itself</source>
        <translation>遮罩部分使用自己的提示词；矩形部分作为单独的图片去噪</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MaskTool</name>
    <message>
        <source>%1 % of the image is masked</source>
        <translation>图片的 %1 % 被遮住</translation>
    </message>
    <message>
        <source>The brush paints, %1 pixels, %2 % hard</source>
        <translation>画笔涂抹，%1 像素，硬度 %2 %</translation>
    </message>
    <message>
        <source>The brush erases, %1 pixels, %2 % hard</source>
        <translation>画笔擦除，%1 像素，硬度 %2 %</translation>
    </message>
    <message>
        <source>at %1, %2</source>
        <translation>位于 %1, %2</translation>
    </message>
    <message>
        <source>The rectangle masks</source>
        <translation>矩形添加遮罩</translation>
    </message>
    <message>
        <source>The rectangle unmasks</source>
        <translation>矩形去除遮罩</translation>
    </message>
    <message>
        <source>The lasso masks</source>
        <translation>套索添加遮罩</translation>
    </message>
    <message>
        <source>The lasso unmasks</source>
        <translation>套索去除遮罩</translation>
    </message>
    <message>
        <source>Fill masks, tolerance %1 %</source>
        <translation>填充添加遮罩，容差 %1 %</translation>
    </message>
    <message>
        <source>Fill unmasks, tolerance %1 %</source>
        <translation>填充去除遮罩，容差 %1 %</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MeasuredChart</name>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>peak %1, predicted %2</source>
        <translation>峰值 %1，预测 %2</translation>
    </message>
    <message>
        <source>%1, predicted %2 (an estimate)</source>
        <translation>%1，预测 %2（估计值）</translation>
    </message>
    <message>
        <source>%1, predicted %2</source>
        <translation>%1，预测 %2</translation>
    </message>
    <message>
        <source>copies worked %1, compute waited %2 for them</source>
        <translation>复制用时 %1，计算为此等待 %2</translation>
    </message>
    <message>
        <source>moved %1, predicted %2</source>
        <translation>传输 %1，预测 %2</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Predicted and measured</source>
        <translation>预测与实测</translation>
    </message>
    <message>
        <source>%1, predicted %2 on such a GPU</source>
        <translation>%1，预测在这种显卡上为 %2</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MemoryEditor</name>
    <message>
        <source>Memory policy as text</source>
        <translation>显存策略（文本）</translation>
    </message>
    <message>
        <source>The policy as the command and graphs write it</source>
        <translation>命令行和工作流中的写法</translation>
    </message>
    <message>
        <source>like the others</source>
        <translation>与其他组件相同</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MemoryGauge</name>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>wires</source>
        <translation>连线上的值</translation>
    </message>
    <message>
        <source>kept results</source>
        <translation>保留的结果</translation>
    </message>
    <message>
        <source>staging</source>
        <translation>中转缓冲</translation>
    </message>
    <message>
        <source>other programs</source>
        <translation>其他程序</translation>
    </message>
    <message>
        <source>weights %1</source>
        <translation>权重 %1</translation>
    </message>
    <message>
        <source>activations %1</source>
        <translation>激活 %1</translation>
    </message>
    <message>
        <source>wires %1</source>
        <translation>连线上的值 %1</translation>
    </message>
    <message>
        <source>kept results %1</source>
        <translation>保留的结果 %1</translation>
    </message>
    <message>
        <source>staging %1</source>
        <translation>中转缓冲 %1</translation>
    </message>
    <message>
        <source>other programs %1</source>
        <translation>其他程序 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>, others %1</source>
        <translation>，其他程序 %1</translation>
    </message>
    <message>
        <source>Memory now</source>
        <translation>当前显存</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MemoryPanel</name>
    <message>
        <source>Times are estimates: they rank plans but do not tell how long you will wait.</source>
        <translation>时间是估计值：可用于比较计划，但不代表实际等待时间。</translation>
    </message>
    <message>
        <source>Times measured on %1.</source>
        <translation>时间实测于 %1。</translation>
    </message>
    <message>
        <source>Nothing to do: every result was kept from earlier runs.</source>
        <translation>无需执行：所有结果都沿用以前的运行。</translation>
    </message>
    <message>
        <source>Peak %1, predicted %2. Collections: %3, %4 given back.</source>
        <translation>峰值 %1，预测 %2。回收：%3 次，归还 %4。</translation>
    </message>
    <message>
        <source>Nothing was measured.</source>
        <translation>没有测量数据。</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Memory budget</source>
        <translation>显存预算</translation>
    </message>
    <message>
        <source>No plan: the graph has errors, see Issues</source>
        <translation>没有计划：工作流有错误，请看“问题”</translation>
    </message>
    <message>
        <source>Add nodes to see the plan of their memory</source>
        <translation>添加节点即可查看显存计划</translation>
    </message>
    <message>
        <source>The plan follows when the run has ended</source>
        <translation>运行结束后给出计划</translation>
    </message>
    <message>
        <source>The plan is being made</source>
        <translation>正在制定计划</translation>
    </message>
    <message>
        <source>Planned for %1, in its types. Times, workspaces and what its driver keeps are estimates. Nothing runs on it: to run, choose a device of this machine or a rehearsal.</source>
        <translation>按 %1 及其数据类型规划。时间、工作区和驱动占用是估计值。不会在上面运行：要运行，请选择本机的设备或预演。</translation>
    </message>
    <message>
        <source>This run</source>
        <translation>本次运行</translation>
    </message>
    <message>
        <source>Last run</source>
        <translation>上次运行</translation>
    </message>
    <message>
        <source>It was refused; see Issues.</source>
        <translation>被拒绝；请看“问题”。</translation>
    </message>
    <message>
        <source>peak %1, predicted %2</source>
        <translation>峰值 %1，预测 %2</translation>
    </message>
    <message>
        <source>nothing to do</source>
        <translation>无需执行</translation>
    </message>
    <message>
        <source>This run took %1, the last one like it %2. Another program may be using the device or its memory.</source>
        <translation>本次运行用时 %1，上次类似的运行用时 %2。可能有其他程序在使用设备或显存。</translation>
    </message>
    <message>
        <source>Measuring...</source>
        <translation>正在测速...</translation>
    </message>
    <message>
        <source>Releasing...</source>
        <translation>正在释放...</translation>
    </message>
    <message>
        <source>Measure this device</source>
        <translation>为此设备测速</translation>
    </message>
    <message>
        <source>Release all</source>
        <translation>全部释放</translation>
    </message>
    <message>
        <source>Not measured: %1.</source>
        <translation>未测速：%1。</translation>
    </message>
    <message>
        <source>Nothing was released: %1.</source>
        <translation>没有释放任何内容：%1。</translation>
    </message>
    <message>
        <source>Takes a few seconds. Plans then predict the times of this machine.</source>
        <translation>需要几秒钟。之后的计划会预测本机的用时。</translation>
    </message>
    <message>
        <source>On devices</source>
        <translation>设备上</translation>
    </message>
    <message>
        <source>Device and budget</source>
        <translation>设备和预算</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Times are those of such a GPU; a rehearsal takes as long as a run on the CPU.</source>
        <translation>时间是这种显卡的时间；预演与在 CPU 上运行一样久。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MemoryStrip</name>
    <message>
        <source>The plan follows the run</source>
        <translation>运行结束后给出计划</translation>
    </message>
    <message>
        <source>No plan yet</source>
        <translation>还没有计划</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>What the next run needs, and of how much</source>
        <translation>下次运行需要多少，共有多少</translation>
    </message>
    <message>
        <source>%1
%2</source>
        <translation>%1
%2</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Minimap</name>
    <message>
        <source>The whole graph; drag to move the view</source>
        <translation>整个工作流；拖动可移动视图</translation>
    </message>
    <message>
        <source>Map of the graph</source>
        <translation>工作流的缩略图</translation>
    </message>
    <message>
        <source>%1 % of the graph is in view</source>
        <translation>可见工作流的 %1%</translation>
    </message>
    <message>
        <source>The graph is empty.</source>
        <translation>工作流是空的。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::MissingFilesDialog</name>
    <message>
        <source>Missing files</source>
        <translation>缺少的文件</translation>
    </message>
    <message>
        <source>The graph names files that are not there. Use files of yours that fit, or locate them.</source>
        <translation>工作流引用的文件不存在。请使用您已有的合适文件，或查找它们。</translation>
    </message>
    <message>
        <source>Use all selected</source>
        <translation>使用所有已选择的文件</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Search by hash...</source>
        <translation>按哈希搜索...</translation>
    </message>
    <message>
        <source>Locate...</source>
        <translation>查找...</translation>
    </message>
    <message>
        <source>Files that fit in place of %1</source>
        <translation>可代替 %1 的文件</translation>
    </message>
    <message>
        <source>Nothing in your model folders fits</source>
        <translation>模型文件夹中没有合适的文件</translation>
    </message>
    <message numerus="yes">
        <source>Choose one of %n</source>
        <translation>
            <numerusform>从 %n 个中选择</numerusform>
        </translation>
    </message>
    <message>
        <source>Found</source>
        <translation>已找到</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ModelCommands</name>
    <message>
        <source>Notes and hashes of models are not kept: %1.</source>
        <translation>不保留模型的备注和哈希：%1。</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>“%1” cannot be used</source>
        <translation>无法使用“%1”</translation>
    </message>
    <message>
        <source>“%1” is not a model that this version runs.</source>
        <translation>此版本无法运行模型“%1”。</translation>
    </message>
    <message>
        <source>“%1” is of the family %2, which this version does not run.</source>
        <translation>“%1”属于 %2 系列，此版本无法运行。</translation>
    </message>
    <message>
        <source>No node, or more than one, of this graph could use %1. Choose it there.</source>
        <translation>此工作流中没有节点或有多个节点可以使用 %1。请在节点中选择。</translation>
    </message>
    <message>
        <source>Weights of this model remain on the device as its file has them, and are decoded in every forward pass: less memory, more time.</source>
        <translation>此模型的权重按文件中的格式留在设备上，每次使用时再解码：占用更少，用时更长。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ModelDetails</name>
    <message>
        <source>Compute the hash (SHA-256)</source>
        <translation>计算哈希 (SHA-256)</translation>
    </message>
    <message>
        <source>Copy the SHA-256</source>
        <translation>复制 SHA-256</translation>
    </message>
    <message>
        <source>Choose its image...</source>
        <translation>选择其图片...</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Computing the hash...</source>
        <translation>正在计算哈希...</translation>
    </message>
    <message>
        <source>Hash %1</source>
        <translation>哈希 %1</translation>
    </message>
    <message>
        <source>No hash yet</source>
        <translation>还没有哈希</translation>
    </message>
    <message>
        <source>Stop computing the hash</source>
        <translation>停止计算哈希</translation>
    </message>
    <message>
        <source>Note: trigger words, strength, where it is from</source>
        <translation>备注：触发词、强度、来源</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ModelFilter</name>
    <message>
        <source>Search models</source>
        <translation>搜索模型</translation>
    </message>
    <message>
        <source>Show models of one kind</source>
        <translation>只显示一种模型</translation>
    </message>
    <message>
        <source>All kinds</source>
        <translation>所有种类</translation>
    </message>
    <message>
        <source>Show models of one family</source>
        <translation>只显示一个系列的模型</translation>
    </message>
    <message>
        <source>All families</source>
        <translation>所有系列</translation>
    </message>
    <message>
        <source>Show models by how they fit this device</source>
        <translation>按是否适合此设备显示模型</translation>
    </message>
    <message>
        <source>Any size</source>
        <translation>任意大小</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>Streams</source>
        <translation>流式加载</translation>
    </message>
    <message>
        <source>Does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>Order of the list</source>
        <translation>列表顺序</translation>
    </message>
    <message>
        <source>By kind</source>
        <translation>按种类</translation>
    </message>
    <message>
        <source>By name</source>
        <translation>按名称</translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation>最新优先</translation>
    </message>
    <message>
        <source>Largest first</source>
        <translation>最大优先</translation>
    </message>
    <message>
        <source>fits whole</source>
        <translation>整个放得下</translation>
    </message>
    <message>
        <source>streams %1 per forward pass</source>
        <translation>每次流式加载 %1</translation>
    </message>
    <message>
        <source>needs %1</source>
        <translation>需要 %1</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>denoiser</source>
        <translation>去噪网络</translation>
    </message>
    <message>
        <source>diffusion model</source>
        <translation>扩散模型</translation>
    </message>
    <message>
        <source>text encoder</source>
        <translation>文本编码器</translation>
    </message>
    <message>
        <source>autoencoder</source>
        <translation>VAE</translation>
    </message>
    <message>
        <source>upscaler</source>
        <translation>放大模型</translation>
    </message>
    <message>
        <source>LoRA</source>
        <translation>LoRA</translation>
    </message>
    <message>
        <source>ControlNet</source>
        <translation>ControlNet</translation>
    </message>
    <message>
        <source>IP-Adapter</source>
        <translation>IP-Adapter</translation>
    </message>
    <message>
        <source>image encoder</source>
        <translation>图像编码器</translation>
    </message>
    <message>
        <source>embedding</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>not run here</source>
        <translation>此处不支持</translation>
    </message>
    <message>
        <source>runs with %1</source>
        <translation>需要%1才能运行</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ModelLibrary</name>
    <message>
        <source>The folder %1 is not there.</source>
        <translation>文件夹 %1 不存在。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ModelsPanel</name>
    <message>
        <source>Model folders</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>Add a folder...</source>
        <translation>添加文件夹...</translation>
    </message>
    <message>
        <source>Add an extra_model_paths.yaml of ComfyUI...</source>
        <translation>添加 ComfyUI 的 extra_model_paths.yaml...</translation>
    </message>
    <message>
        <source>Remove it from the list; its files are kept</source>
        <translation>从列表中移除；文件会保留</translation>
    </message>
    <message>
        <source>Look through the folders again</source>
        <translation>重新扫描文件夹</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>系列</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>This budget</source>
        <translation>当前预算</translation>
    </message>
    <message>
        <source>No models yet</source>
        <translation>还没有模型</translation>
    </message>
    <message>
        <source>Add the folder of your checkpoints. Folders of ComfyUI work as they are. Until then, use the built-in mini model.</source>
        <translation>请添加检查点所在的文件夹。ComfyUI 的文件夹可以直接使用。在此之前可使用自带的 Mini 模型。</translation>
    </message>
    <message>
        <source>Convert...</source>
        <translation>转换...</translation>
    </message>
    <message>
        <source>Write this model again, as a smaller file</source>
        <translation>把此模型重新写成更小的文件</translation>
    </message>
    <message>
        <source>Select a checkpoint or a denoiser to write it again, smaller</source>
        <translation>选择检查点或去噪网络以重新写成更小的文件</translation>
    </message>
    <message>
        <source>Looking...</source>
        <translation>正在扫描...</translation>
    </message>
    <message>
        <source>No models were found in %1.</source>
        <translation>在 %1 中没有找到模型。</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>%1

%2</source>
        <translation>%1

%2</translation>
    </message>
    <message>
        <source>Add a folder of models</source>
        <translation>添加模型文件夹</translation>
    </message>
    <message>
        <source>Add an extra_model_paths.yaml</source>
        <translation>添加 extra_model_paths.yaml</translation>
    </message>
    <message>
        <source>Paths of models (*.yaml *.yml)</source>
        <translation>模型路径 (*.yaml *.yml)</translation>
    </message>
    <message numerus="yes">
        <source>%n found</source>
        <translation>
            <numerusform>找到 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>The image of %1</source>
        <translation>%1 的图片</translation>
    </message>
    <message>
        <source>Images (*.png *.jpg *.jpeg *.webp)</source>
        <translation>图片 (*.png *.jpg *.jpeg *.webp)</translation>
    </message>
    <message>
        <source>Add the folder %1</source>
        <translation>添加文件夹 %1</translation>
    </message>
    <message>
        <source>Use %1 in the graph</source>
        <translation>在工作流中使用 %1</translation>
    </message>
    <message>
        <source>Use in the graph</source>
        <translation>在工作流中使用</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::NodeStatuses</name>
    <message>
        <source>auto: streams</source>
        <translation>自动：流式加载</translation>
    </message>
    <message>
        <source>auto: resident</source>
        <translation>自动：常驻</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Notice</name>
    <message>
        <source>Set the memory policy of %1 to %2</source>
        <translation>把 %1 的显存策略设为 %2</translation>
    </message>
    <message>
        <source>Raise the budget to %1</source>
        <translation>把预算提高到 %1</translation>
    </message>
    <message>
        <source>Compute %1 on the CPU</source>
        <translation>在 CPU 上计算 %1</translation>
    </message>
    <message>
        <source>Set %1 to %2</source>
        <translation>把“%1”设为 %2</translation>
    </message>
    <message>
        <source>Locate %1...</source>
        <translation>查找 %1...</translation>
    </message>
    <message>
        <source>Insert %1</source>
        <translation>插入“%1”</translation>
    </message>
    <message>
        <source>Remove the memory policy of %1</source>
        <translation>移除 %1 的显存策略</translation>
    </message>
    <message>
        <source>Remove the precision of %1</source>
        <translation>移除 %1 的精度设置</translation>
    </message>
    <message>
        <source>Remove the value of %1</source>
        <translation>移除 %1 的值</translation>
    </message>
    <message>
        <source>Convert %1 to a smaller file...</source>
        <translation>把 %1 转换为更小的文件...</translation>
    </message>
    <message>
        <source>Remove the budget</source>
        <translation>移除预算</translation>
    </message>
    <message>
        <source>Compute on the CPU</source>
        <translation>在 CPU 上计算</translation>
    </message>
    <message>
        <source>Read LoRAs of the prompt</source>
        <translation>读取提示词中的 LoRA</translation>
    </message>
    <message>
        <source>Use %1 for Denoise too</source>
        <translation>也将 %1 用于“采样”</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::NoticeBar</name>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::NumberField</name>
    <message>
        <source>The number is larger than 64 bits hold.</source>
        <translation>数值超出 64 位范围。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Panels</name>
    <message>
        <source>&amp;This panel</source>
        <translation>此面板(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Back into the window</source>
        <translation>放回窗口(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Out of the window</source>
        <translation>移出窗口(&amp;O)</translation>
    </message>
    <message>
        <source>To the &amp;left</source>
        <translation>移到左侧(&amp;L)</translation>
    </message>
    <message>
        <source>To the &amp;right</source>
        <translation>移到右侧(&amp;R)</translation>
    </message>
    <message>
        <source>To the &amp;bottom</source>
        <translation>移到底部(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Close %1</source>
        <translation>关闭“%1”(&amp;C)</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ParamEditor</name>
    <message>
        <source>The value %1; %2.</source>
        <translation>%1；%2。</translation>
    </message>
    <message>
        <source>random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>空</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PastedImage</name>
    <message>
        <source>the folder cannot be made</source>
        <translation>无法创建文件夹</translation>
    </message>
    <message>
        <source>The image in the clipboard cannot be read; save it as a PNG file and drop that here.</source>
        <translation>无法读取剪贴板中的图片；请保存为 PNG 文件再拖到这里。</translation>
    </message>
    <message>
        <source>The image in the clipboard has %1 x %2 pixels, more than %3 million; save it as a PNG file and drop that here.</source>
        <translation>剪贴板中的图片有 %1 x %2 像素，超过 %3 百万；请保存为 PNG 文件再拖到这里。</translation>
    </message>
    <message>
        <source>The pasted image could not be kept in “%1”: %2</source>
        <translation>无法把粘贴的图片保存到“%1”：%2</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PlanBars</name>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>streamed</source>
        <translation>流式加载</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>wires</source>
        <translation>连线上的值</translation>
    </message>
    <message>
        <source>kept results</source>
        <translation>保留的结果</translation>
    </message>
    <message>
        <source>staging</source>
        <translation>中转缓冲</translation>
    </message>
    <message>
        <source>%1, streams %2 per forward pass</source>
        <translation>%1，每次流式加载 %2</translation>
    </message>
    <message>
        <source>weights %1</source>
        <translation>权重 %1</translation>
    </message>
    <message>
        <source>activations %1</source>
        <translation>激活 %1</translation>
    </message>
    <message>
        <source>wires, kept results and staging %1</source>
        <translation>连线上的值、保留的结果和中转缓冲 %1</translation>
    </message>
    <message>
        <source>streams %1 in each pass, %2 in all</source>
        <translation>每次流式加载 %1，共 %2</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>budget %1, not to scale</source>
        <translation>预算 %1，未按比例</translation>
    </message>
    <message>
        <source>budget %1</source>
        <translation>预算 %1</translation>
    </message>
    <message>
        <source>Planned memory</source>
        <translation>计划的显存</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PolicyRows</name>
    <message>
        <source>Copy the next group ahead</source>
        <translation>提前复制下一组</translation>
    </message>
    <message>
        <source>off the device</source>
        <translation>移出显存</translation>
    </message>
    <message>
        <source>unload, also from RAM</source>
        <translation>卸载（也移出内存）</translation>
    </message>
    <message>
        <source>keep for the next run</source>
        <translation>为下次运行保留</translation>
    </message>
    <message>
        <source>none of its own</source>
        <translation>没有单独设置</translation>
    </message>
    <message>
        <source>no limit stated</source>
        <translation>未设上限</translation>
    </message>
    <message>
        <source>the run&apos;s device</source>
        <translation>运行的设备</translation>
    </message>
    <message>
        <source>Another kind of device may change pixels.</source>
        <translation>换一种设备可能改变像素。</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Stream</source>
        <translation>流式加载</translation>
    </message>
    <message>
        <source>Blocks a group</source>
        <translation>每组块数</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>预算</translation>
    </message>
    <message>
        <source>After last use</source>
        <translation>最后使用之后</translation>
    </message>
    <message>
        <source>Pinned RAM</source>
        <translation>锁页内存</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>&quot;%1&quot; is no size; write 6 GiB, 512 MiB or a number of bytes.</source>
        <translation>“%1”不是大小；请写 6 GiB、512 MiB 或字节数。</translation>
    </message>
    <message>
        <source>The next group is copied while this one computes.</source>
        <translation>计算当前组时复制下一组。</translation>
    </message>
    <message>
        <source>Only the policy &quot;block&quot; has groups of blocks.</source>
        <translation>只有策略“block”按块分组。</translation>
    </message>
    <message>
        <source>How many blocks move together.</source>
        <translation>一起移动的块数。</translation>
    </message>
    <message>
        <source>Device memory that this node may fill with resident weights, such as 6 GiB.</source>
        <translation>此节点可用来常驻权重的显存，例如 6 GiB。</translation>
    </message>
    <message>
        <source>The most pinned RAM for copies to the device, such as 2 GiB.</source>
        <translation>复制到设备时最多使用的锁页内存，例如 2 GiB。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PrecisionEditor</name>
    <message>
        <source>Precision as text</source>
        <translation>精度（文本）</translation>
    </message>
    <message>
        <source>The precision as the command and graphs write it</source>
        <translation>命令行和工作流中的写法</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>parts of layer names</source>
        <translation>层名的一部分</translation>
    </message>
    <message>
        <source>Layers whose names hold one of these are computed in f32; separate them by spaces.</source>
        <translation>名称含有其中之一的层以 f32 计算；用空格分隔。</translation>
    </message>
    <message>
        <source>Keep in f32</source>
        <translation>保持 f32</translation>
    </message>
    <message>
        <source>Switches</source>
        <translation>开关</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PrecisionField</name>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>How exactly the network computes: quality is the most exact, speed is the fastest</source>
        <translation>网络计算的精确程度：“质量”最精确，“速度”最快</translation>
    </message>
    <message>
        <source>Change the precision</source>
        <translation>更改精度</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PresetCards</name>
    <message>
        <source>Cannot be opened</source>
        <translation>无法打开</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Built in</source>
        <translation>内置</translation>
    </message>
    <message>
        <source>Your own</source>
        <translation>自定义</translation>
    </message>
    <message numerus="yes">
        <source>%n files missing</source>
        <translation>
            <numerusform>缺少 %n 个文件</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PresetCommands</name>
    <message>
        <source>“%1” cannot be opened</source>
        <translation>无法打开“%1”</translation>
    </message>
    <message numerus="yes">
        <source>“%1” has no place for %n prompts of the image.</source>
        <translation>
            <numerusform>“%1”放不下图片中的 %n 段提示词。</numerusform>
        </translation>
    </message>
    <message>
        <source>Saved as the preset “%1”.</source>
        <translation>已保存为预设“%1”。</translation>
    </message>
    <message>
        <source>The preset is not saved</source>
        <translation>预设未保存</translation>
    </message>
    <message numerus="yes">
        <source>%n files of “%1” are missing.</source>
        <translation>
            <numerusform>“%1”缺少 %n 个文件。</numerusform>
        </translation>
    </message>
    <message>
        <source>Find them...</source>
        <translation>查找...</translation>
    </message>
    <message>
        <source>New here? Take a one-minute tour of the window.</source>
        <translation>第一次使用？一分钟的导览会说明各部分在哪里。</translation>
    </message>
    <message>
        <source>Take the tour</source>
        <translation>开始导览</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PresetDetails</name>
    <message>
        <source>Checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Denoiser</source>
        <translation>去噪网络</translation>
    </message>
    <message>
        <source>Autoencoder</source>
        <translation>VAE</translation>
    </message>
    <message>
        <source>Upscaler</source>
        <translation>放大模型</translation>
    </message>
    <message>
        <source>ControlNet</source>
        <translation>ControlNet</translation>
    </message>
    <message>
        <source>IP-Adapter</source>
        <translation>IP-Adapter</translation>
    </message>
    <message>
        <source>Image encoder</source>
        <translation>图像编码器</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>视频</translation>
    </message>
    <message>
        <source>Files that it needs</source>
        <translation>所需的文件</translation>
    </message>
    <message>
        <source>Locate...</source>
        <translation>查找...</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Rename...</source>
        <translation>重命名...</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Export...</source>
        <translation>导出...</translation>
    </message>
    <message>
        <source>Choose a preset</source>
        <translation>选择预设</translation>
    </message>
    <message>
        <source>built in</source>
        <translation>内置</translation>
    </message>
    <message>
        <source>your own</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>cards from %1</source>
        <translation>显存 %1 起</translation>
    </message>
    <message>
        <source>%1 is there</source>
        <translation>%1 已找到</translation>
    </message>
    <message>
        <source>%1 is missing. Press Enter to locate it.</source>
        <translation>缺少 %1。按回车键查找。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PresetDialog</name>
    <message>
        <source>Save as preset</source>
        <translation>保存为预设</translation>
    </message>
    <message>
        <source>separated by commas</source>
        <translation>用逗号分隔</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>说明</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PresetsBrowser</name>
    <message>
        <source>No preset matches</source>
        <translation>没有匹配的预设</translation>
    </message>
    <message>
        <source>Search for other words, or choose all tags.</source>
        <translation>请换个词搜索，或选择所有标签。</translation>
    </message>
    <message>
        <source>Search presets</source>
        <translation>搜索预设</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Save as preset...</source>
        <translation>保存为预设...</translation>
    </message>
    <message>
        <source>Import...</source>
        <translation>导入...</translation>
    </message>
    <message>
        <source>Undo remove</source>
        <translation>撤销移除</translation>
    </message>
    <message>
        <source>All tags</source>
        <translation>所有标签</translation>
    </message>
    <message>
        <source>Rename preset</source>
        <translation>重命名预设</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Import a preset or a graph</source>
        <translation>导入预设或工作流</translation>
    </message>
    <message>
        <source>Presets and graphs (*.json)</source>
        <translation>预设和工作流 (*.json)</translation>
    </message>
    <message>
        <source>Export the preset</source>
        <translation>导出预设</translation>
    </message>
    <message>
        <source>Presets (*.json)</source>
        <translation>预设 (*.json)</translation>
    </message>
    <message>
        <source>Imported the preset “%1”.</source>
        <translation>已导入预设“%1”。</translation>
    </message>
    <message>
        <source>The preset “%1” is there already.</source>
        <translation>预设“%1”已经存在。</translation>
    </message>
    <message>
        <source>Exported the preset “%1” to %2.</source>
        <translation>已把预设“%1”导出到 %2。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PromptCompletion</name>
    <message>
        <source>embedding</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>LoRA</source>
        <translation>LoRA</translation>
    </message>
    <message>
        <source>style</source>
        <translation>风格</translation>
    </message>
    <message>
        <source>wildcard</source>
        <translation>通配符</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>Completions</source>
        <translation>补全</translation>
    </message>
    <message>
        <source>%1, %2 of %3</source>
        <translation>%1，第 %2 项，共 %3 项</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PromptEditor</name>
    <message>
        <source>Brackets are text here. Choose another way under %1 to give words more weight.</source>
        <translation>这里的括号只是文字。要给词加权，请在“%1”中选择其他方式。</translation>
    </message>
    <message>
        <source>Left out: %1 reads %2 tokens.</source>
        <translation>已截去：%1 读取 %2 个词元。</translation>
    </message>
    <message>
        <source>Save these texts as a style...</source>
        <translation>把这些文本存为风格...</translation>
    </message>
    <message>
        <source>Rename, delete or import styles...</source>
        <translation>重命名、删除或导入风格...</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n runs</source>
        <translation>
            <numerusform>%1，%n 次运行</numerusform>
        </translation>
    </message>
    <message>
        <source>No run had such a text yet</source>
        <translation>还没有使用这种文本的运行</translation>
    </message>
    <message>
        <source>Read %1 as A1111</source>
        <translation>“%1”改为 A1111</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PromptFooter</name>
    <message>
        <source>Styles</source>
        <translation>风格</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>以前的</translation>
    </message>
    <message>
        <source>Apply a style, save this text as one, change them</source>
        <translation>应用风格、把此文本存为风格、更改风格</translation>
    </message>
    <message>
        <source>Earlier prompts, from the runs</source>
        <translation>以前运行的提示词</translation>
    </message>
    <message>
        <source>Read weights</source>
        <translation>读取权重</translation>
    </message>
    <message>
        <source>(word:1.2) and BREAK are read as words here. Sets Weights of this node to A1111.</source>
        <translation>(word:1.2) 和 BREAK 在这里按文字处理。将此节点的“权重”设为 A1111。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::PromptLibrary</name>
    <message>
        <source>Apply style %1</source>
        <translation>应用风格 %1</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::QueuePanel</name>
    <message>
        <source>Pause: hold back waiting runs</source>
        <translation>暂停：让等待的运行先不开始</translation>
    </message>
    <message>
        <source>Cancel after this image</source>
        <translation>完成此图后取消</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>再运行一次</translation>
    </message>
    <message>
        <source>Open the graph of this run</source>
        <translation>打开此运行的工作流</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>从列表中移除</translation>
    </message>
    <message>
        <source>No runs yet. Press Run, and it appears here with its image.</source>
        <translation>还没有运行。按“运行”后，运行及其图片会出现在这里。</translation>
    </message>
    <message>
        <source>Continue with waiting runs</source>
        <translation>继续等待的运行</translation>
    </message>
    <message>
        <source>Cancel now</source>
        <translation>立即取消</translation>
    </message>
    <message>
        <source>Repeat without kept results</source>
        <translation>全部重新运行</translation>
    </message>
    <message>
        <source>Open graph of this run</source>
        <translation>打开此运行的工作流</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Stop after this run: take back all that wait</source>
        <translation>此次运行后停止：撤回所有等待的运行</translation>
    </message>
    <message>
        <source>Clear all waiting</source>
        <translation>清空等待的运行</translation>
    </message>
    <message>
        <source>Clear history</source>
        <translation>清空历史记录</translation>
    </message>
    <message>
        <source>Running and waiting</source>
        <translation>正在进行和等待的运行</translation>
    </message>
    <message>
        <source>Alt+Up and Alt+Down move a waiting run, Delete cancels it</source>
        <translation>Alt+上 和 Alt+下 移动等待的运行，Delete 取消它</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史记录</translation>
    </message>
    <message>
        <source>Delete removes a run from the list</source>
        <translation>Delete 从列表中移除运行</translation>
    </message>
    <message>
        <source>No runs are waiting.</source>
        <translation>没有等待的运行。</translation>
    </message>
    <message>
        <source>Running and waiting (%1)</source>
        <translation>正在进行和等待的运行 (%1)</translation>
    </message>
    <message>
        <source>History (%1)</source>
        <translation>历史记录 (%1)</translation>
    </message>
    <message numerus="yes">
        <source>%n waiting runs were cancelled.</source>
        <translation>
            <numerusform>已取消 %n 个等待中的运行。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs were removed from the history.</source>
        <translation>
            <numerusform>已从历史记录中移除 %n 个运行。</numerusform>
        </translation>
    </message>
    <message>
        <source>Undo the removal</source>
        <translation>撤销移除</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::QueueRows</name>
    <message>
        <source>nothing to do: every result was kept</source>
        <translation>无需执行：所有结果都沿用</translation>
    </message>
    <message>
        <source>done in %1</source>
        <translation>完成，用时 %1</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>running, %1 %</source>
        <translation>运行中，%1%</translation>
    </message>
    <message>
        <source>running, %1 %, %2</source>
        <translation>运行中，%1%，%2</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>失败：%1</translation>
    </message>
    <message>
        <source>cancelled after %1</source>
        <translation>已取消，用时 %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1
%2</source>
        <translation>%1
%2</translation>
    </message>
    <message numerus="yes">
        <source>done in %1, %n files</source>
        <translation>
            <numerusform>完成，用时 %1，%n 个文件</numerusform>
        </translation>
    </message>
    <message>
        <source>cancelled before it began</source>
        <translation>开始前已取消</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RecoveryDialog</name>
    <message>
        <source>never saved</source>
        <translation>从未保存</translation>
    </message>
    <message>
        <source>%1; may still be open on %2</source>
        <translation>%1；可能仍在 %2 上打开</translation>
    </message>
    <message>
        <source>Recover</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Throw away</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Recover graphs</source>
        <translation>恢复工作流</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>以后再说</translation>
    </message>
    <message>
        <source>Throw away the unsaved changes of “%1”? They cannot be brought back.</source>
        <translation>放弃“%1”未保存的更改？此操作无法恢复。</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n nodes, kept %2</source>
        <translation>
            <numerusform>%1，%n 个节点，保留于 %2</numerusform>
        </translation>
    </message>
    <message>
        <source>Graphs were kept that may still be open elsewhere, or cannot be read. The saved files are unchanged.</source>
        <translation>保留的工作流中，有些可能仍在别处打开，或无法读取。已保存的文件没有变化。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ReportDialog</name>
    <message>
        <source>Report a problem</source>
        <translation>报告问题</translation>
    </message>
    <message>
        <source>A report is a text file for Lowtide&apos;s developers. It leaves out folders and the names of this computer and its user. Nothing is sent: save or copy it, then attach it to your bug report.</source>
        <translation>报告是给 Lowtide 开发者的文本文件，不含文件夹、电脑名和用户名。不会发送任何内容：请保存或复制，再附到您的问题报告中。</translation>
    </message>
    <message>
        <source>What did you do, what did you expect, what happened?</source>
        <translation>您做了什么，期望什么，发生了什么？</translation>
    </message>
    <message>
        <source>Graph: nodes, wires, numbers</source>
        <translation>工作流：节点、连线、数字</translation>
    </message>
    <message>
        <source>Memory plan and issues</source>
        <translation>显存计划和问题</translation>
    </message>
    <message>
        <source>Report of the last run</source>
        <translation>上次运行的报告</translation>
    </message>
    <message>
        <source>Last lines of the log</source>
        <translation>日志的最后几行</translation>
    </message>
    <message>
        <source>Prompts and other texts</source>
        <translation>提示词和其他文本</translation>
    </message>
    <message>
        <source>Prompts are left out unless they matter for the problem</source>
        <translation>除非与问题有关，否则不含提示词</translation>
    </message>
    <message>
        <source>Save...</source>
        <translation>保存...</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation>已复制。</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>Exactly this is saved or copied</source>
        <translation>保存或复制的就是以下内容</translation>
    </message>
    <message numerus="yes">
        <source>%n characters</source>
        <translation>
            <numerusform>%n 个字符</numerusform>
        </translation>
    </message>
    <message>
        <source>Save the report</source>
        <translation>保存报告</translation>
    </message>
    <message>
        <source>Saved as %1.</source>
        <translation>已保存为 %1。</translation>
    </message>
    <message>
        <source>It is not saved: %1.</source>
        <translation>未保存：%1。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Retouching</name>
    <message>
        <source>the image has %1 x %2 pixels, more than %3 million; make it smaller first</source>
        <translation>图片有 %1 x %2 像素，超过 %3 百万；请先缩小</translation>
    </message>
    <message>
        <source>These masks were kept when you last painted on the image.</source>
        <translation>这些是上次在此图上绘制时保留的遮罩。</translation>
    </message>
    <message>
        <source>This mask was kept when you last painted on the image; Clear starts over.</source>
        <translation>这是上次在此图上绘制时保留的遮罩；“清除”可重新开始。</translation>
    </message>
    <message>
        <source>The mask cannot be kept for later: %1. Use it before you leave the image.</source>
        <translation>无法保留遮罩供以后使用：%1。请在离开图片之前使用。</translation>
    </message>
    <message>
        <source>Nothing is masked yet: paint over what is to be regenerated.</source>
        <translation>还没有遮住任何部分：请涂抹要重绘的部分。</translation>
    </message>
    <message>
        <source>Writing...</source>
        <translation>正在写入...</translation>
    </message>
    <message>
        <source>Nothing is masked yet: draw a rectangle around the part.</source>
        <translation>还没有遮住任何部分：请在要处理的部分周围画一个矩形。</translation>
    </message>
    <message>
        <source>Mask %1</source>
        <translation>遮罩 %1</translation>
    </message>
    <message>
        <source>%1 is painted</source>
        <translation>正在绘制 %1</translation>
    </message>
    <message>
        <source>“%1” is deleted; Undo brings it back.</source>
        <translation>已删除“%1”；撤销可恢复。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RowEditing</name>
    <message>
        <source>Change %1</source>
        <translation>更改“%1”</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunAttention</name>
    <message>
        <source>The run failed</source>
        <translation>运行失败</translation>
    </message>
    <message>
        <source>The run has finished</source>
        <translation>运行已完成</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Images are being made</source>
        <translation>正在生成图片</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunCommands</name>
    <message>
        <source>Releasing what is on devices...</source>
        <translation>正在释放设备上的内容...</translation>
    </message>
    <message>
        <source>Nothing is kept on devices any more.</source>
        <translation>设备上不再保留任何内容。</translation>
    </message>
    <message>
        <source>Nothing was released: %1.</source>
        <translation>没有释放任何内容：%1。</translation>
    </message>
    <message>
        <source>Nothing runs yet: what is typed in the marked field cannot be read. Fix it, or press Esc there to keep the value before it.</source>
        <translation>尚未运行：无法读取标记字段中输入的内容。请改正，或在其中按 Esc 保留原值。</translation>
    </message>
    <message>
        <source>Select the node to run to.</source>
        <translation>请选择要运行到的节点。</translation>
    </message>
    <message>
        <source>No runs are waiting.</source>
        <translation>没有等待的运行。</translation>
    </message>
    <message numerus="yes">
        <source>%n waiting runs were cancelled.</source>
        <translation>
            <numerusform>已取消 %n 个等待中的运行。</numerusform>
        </translation>
    </message>
    <message>
        <source>Queue them again</source>
        <translation>重新加入队列</translation>
    </message>
    <message>
        <source>Nothing runs: in %1, %2</source>
        <translation>没有运行：在 %1 中，%2</translation>
    </message>
    <message numerus="yes">
        <source>A run is in progress; %n more are waiting.</source>
        <translation>
            <numerusform>有一个运行正在进行，另有 %n 个在等待。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs are waiting in the queue.</source>
        <translation>
            <numerusform>队列中有 %n 个运行在等待。</numerusform>
        </translation>
    </message>
    <message>
        <source>A run is in progress.</source>
        <translation>有一个运行正在进行。</translation>
    </message>
    <message>
        <source>A model is being converted.</source>
        <translation>正在转换模型。</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Closing the window ends it; nothing of the new file is kept.</source>
        <translation>关闭窗口会终止转换，新文件不会保留。</translation>
    </message>
    <message>
        <source>Closing the window ends them. The next start asks whether they shall run again.</source>
        <translation>关闭窗口会终止它们。下次启动时会询问是否重新运行。</translation>
    </message>
    <message>
        <source>Closing the window ends them; waiting runs are lost.</source>
        <translation>关闭窗口会终止它们；等待的运行会丢失。</translation>
    </message>
    <message>
        <source>Close and end them</source>
        <translation>关闭并终止</translation>
    </message>
    <message>
        <source>The processor of this machine computes it, which takes as long as a run on the CPU. Memory is planned and kept as on that GPU.</source>
        <translation>由本机的处理器计算，与在 CPU 上运行一样久。显存的规划和占用与在这种显卡上相同。</translation>
    </message>
    <message>
        <source>The time in the plan, %1, is that of such a GPU.</source>
        <translation>计划中的时间（%1）是这种显卡的时间。</translation>
    </message>
    <message>
        <source>Rehearsal</source>
        <translation>预演</translation>
    </message>
    <message>
        <source>This run is rehearsed on a simulated GPU of %1.</source>
        <translation>此运行将在模拟的 %1 显卡上预演。</translation>
    </message>
    <message>
        <source>This run is rehearsed on a simulated GPU.</source>
        <translation>此运行将在模拟的显卡上预演。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunControl</name>
    <message>
        <source>%1, seed %2</source>
        <translation>%1，种子 %2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunLibrary</name>
    <message>
        <source>there is not enough memory</source>
        <translation>内存不足</translation>
    </message>
    <message numerus="yes">
        <source>The list of earlier runs was damaged. %n images of it could be saved, and it goes on in “%1”; the damaged file “%2” is kept. The images&apos; own files are untouched.</source>
        <translation>
            <numerusform>之前的运行列表已损坏。其中的 %n 张图片得以恢复，列表在“%1”中继续；损坏的文件“%2”保留不动。图片文件本身没有变动。</numerusform>
        </translation>
    </message>
    <message>
        <source>The list of earlier runs was damaged.</source>
        <translation>以往运行的列表已损坏。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunNotices</name>
    <message numerus="yes">
        <source>%1 (and %n more)</source>
        <translation>
            <numerusform>%1（另有 %n 个）</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing to do: everything is up to date.</source>
        <translation>无需执行：所有结果都是最新的。</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>重新运行</translation>
    </message>
    <message>
        <source>The run failed without saying why.</source>
        <translation>运行失败，没有说明原因。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Saved %1 in %2.</source>
        <translation>已把 %1 保存到 %2。</translation>
    </message>
    <message>
        <source>View</source>
        <translation>查看</translation>
    </message>
    <message numerus="yes">
        <source>Saved %n images in %1, the last one is %2.</source>
        <translation>
            <numerusform>已把 %n 张图片保存到 %1，最后一张是 %2。</numerusform>
        </translation>
    </message>
    <message>
        <source>The image is there. No node of the graph saves it.</source>
        <translation>图片已生成。工作流中没有节点保存它。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunQueue</name>
    <message numerus="yes">
        <source>%n events of the run came too fast to be shown</source>
        <translation>
            <numerusform>运行中有 %n 个事件来得太快，未能显示</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunSpeaker</name>
    <message>
        <source>The run “%1” failed.</source>
        <translation>运行“%1”失败。</translation>
    </message>
    <message>
        <source>The run “%1” was cancelled.</source>
        <translation>运行“%1”已取消。</translation>
    </message>
    <message>
        <source>The run “%1” finished in %2.</source>
        <translation>运行“%1”用时 %2 完成。</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>已保存 %1。</translation>
    </message>
    <message numerus="yes">
        <source>Issues: %n error(s)</source>
        <translation>
            <numerusform>问题：%n 个错误</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n 个警告</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs were taken back.</source>
        <translation>
            <numerusform>已撤回 %n 个运行。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunStrip</name>
    <message>
        <source>Progress of the run</source>
        <translation>运行进度</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1%</translation>
    </message>
    <message>
        <source>%1, %2
%3</source>
        <translation>%1，%2
%3</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::RunWriter</name>
    <message>
        <source>there is not enough memory</source>
        <translation>内存不足</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SearchList</name>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>Nothing matches</source>
        <translation>没有匹配项</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SearchPopup</name>
    <message>
        <source>Search nodes</source>
        <translation>搜索节点</translation>
    </message>
    <message>
        <source>No node has that in its name, category or help.</source>
        <translation>没有节点的名称、类别或帮助中含有此内容。</translation>
    </message>
    <message>
        <source>No such node accepts a wire of type %1.</source>
        <translation>没有此类节点接受 %1 类型的连线。</translation>
    </message>
    <message>
        <source>to %1</source>
        <translation>到“%1”</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SeedEditor</name>
    <message>
        <source>Another random seed</source>
        <translation>换一个随机种子</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Settings</name>
    <message>
        <source>These settings are of version %1, this program knows version %2. They are left alone, and changes made here are not kept.</source>
        <translation>这些设置是版本 %1，本程序只认识版本 %2。设置保持不变，此处的更改不会保存。</translation>
    </message>
    <message>
        <source>Some settings could not be read and have their defaults: %1.</source>
        <translation>有些设置无法读取，已使用默认值：%1。</translation>
    </message>
    <message>
        <source>The settings could not be read (%1). The defaults are used; the old file is kept as %2.</source>
        <translation>无法读取设置（%1）。已使用默认值；旧文件保存为 %2。</translation>
    </message>
    <message>
        <source>The settings could not be read (%1), nor renamed. The defaults are used, and changes are not kept.</source>
        <translation>无法读取设置（%1），也无法重命名。已使用默认值，更改不会保存。</translation>
    </message>
    <message>
        <source>A newer version of the program has written the settings meanwhile; changes made here are not kept.</source>
        <translation>较新版本的程序已写入设置；此处的更改不会保存。</translation>
    </message>
    <message>
        <source>The settings could not be written: %1.</source>
        <translation>无法写入设置：%1。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Low-memory mode</source>
        <translation>低显存模式</translation>
    </message>
    <message>
        <source>Automatic: on at 8 GiB and below</source>
        <translation>自动：不超过 8 GiB 时开启</translation>
    </message>
    <message>
        <source>On: collect after every stage</source>
        <translation>开：每个阶段后回收</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Device, budget and low-memory mode apply to graphs without settings of their own.</source>
        <translation>设备、预算和低显存模式适用于没有单独设置的工作流。</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Free memory less 5 %</source>
        <translation>可用显存减去 5%</translation>
    </message>
    <message>
        <source>Memory budget</source>
        <translation>显存预算</translation>
    </message>
    <message>
        <source>Choose...</source>
        <translation>选择...</translation>
    </message>
    <message>
        <source>Folder for images</source>
        <translation>图片文件夹</translation>
    </message>
    <message>
        <source>Show the image while it is made</source>
        <translation>生成时显示图片</translation>
    </message>
    <message>
        <source>Previews</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>询问</translation>
    </message>
    <message>
        <source>Open its graph</source>
        <translation>打开其工作流</translation>
    </message>
    <message>
        <source>Use it as input</source>
        <translation>用作输入</translation>
    </message>
    <message>
        <source>A dropped image with a graph</source>
        <translation>拖入带工作流的图片时</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Notify me after</source>
        <translation>通知我，当运行超过</translation>
    </message>
    <message>
        <source>Only while another window is in front</source>
        <translation>仅当其他窗口在前面时</translation>
    </message>
    <message>
        <source>Seconds that a run takes at least</source>
        <translation>运行至少用时的秒数</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>When a run ends</source>
        <translation>运行结束时</translation>
    </message>
    <message>
        <source>Keep the computer awake</source>
        <translation>保持电脑唤醒</translation>
    </message>
    <message>
        <source>While runs are at work</source>
        <translation>运行进行时</translation>
    </message>
    <message>
        <source>Light, high contrast</source>
        <translation>浅色，高对比度</translation>
    </message>
    <message>
        <source>Dark, high contrast</source>
        <translation>深色，高对比度</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>动态效果</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>完整</translation>
    </message>
    <message>
        <source>Reduced: nothing slides, fades or blinks</source>
        <translation>减弱：没有滑动、淡入淡出或闪烁</translation>
    </message>
    <message>
        <source>Size of texts and controls</source>
        <translation>文字和控件的大小</translation>
    </message>
    <message>
        <source>100 %</source>
        <translation>100%</translation>
    </message>
    <message>
        <source>125 %</source>
        <translation>125%</translation>
    </message>
    <message>
        <source>150 %</source>
        <translation>150%</translation>
    </message>
    <message>
        <source>200 %</source>
        <translation>200%</translation>
    </message>
    <message>
        <source>Of the size that the desktop asks for</source>
        <translation>相对于桌面设定的大小</translation>
    </message>
    <message>
        <source>Start the studio again to see the new size.</source>
        <translation>重新启动程序后生效。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SeveralDialog</name>
    <message>
        <source>Run several times</source>
        <translation>运行多次</translation>
    </message>
    <message>
        <source>A new one each time</source>
        <translation>每次换一个</translation>
    </message>
    <message>
        <source>One more each time</source>
        <translation>每次加一</translation>
    </message>
    <message>
        <source>As the nodes say</source>
        <translation>按节点的设置</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Open a text file...</source>
        <translation>打开文本文件...</translation>
    </message>
    <message>
        <source>As they are</source>
        <translation>保持原样</translation>
    </message>
    <message>
        <source>One a line</source>
        <translation>每行一个</translation>
    </message>
    <message>
        <source>Every combination of alternatives</source>
        <translation>所有选项组合</translation>
    </message>
    <message>
        <source>One prompt a line</source>
        <translation>每行一个提示词</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Into</source>
        <translation>填入</translation>
    </message>
    <message>
        <source>%1 prompts: the first %2 run.</source>
        <translation>%1 个提示词：运行前 %2 个。</translation>
    </message>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n 次运行</numerusform>
        </translation>
    </message>
    <message>
        <source>Counting...</source>
        <translation>正在统计...</translation>
    </message>
    <message>
        <source>No prompt has alternatives yet: {red|blue} gives two runs, __name__ one for each line of a wildcard.</source>
        <translation>还没有带选项的提示词：{red|blue} 得到两次运行，__name__ 为通配符的每一行各一次。</translation>
    </message>
    <message>
        <source>More combinations than can be counted: the first %1 run.</source>
        <translation>组合太多，无法统计：运行前 %1 个。</translation>
    </message>
    <message>
        <source>%1 combinations: the first %2 run.</source>
        <translation>%1 种组合：运行前 %2 个。</translation>
    </message>
    <message numerus="yes">
        <source>%n combinations, one run each</source>
        <translation>
            <numerusform>%n 种组合，各运行一次</numerusform>
        </translation>
    </message>
    <message>
        <source>Open a list of prompts</source>
        <translation>打开提示词列表</translation>
    </message>
    <message>
        <source>Texts (*.txt *.csv *.md);;All files (*)</source>
        <translation>文本 (*.txt *.csv *.md);;所有文件 (*)</translation>
    </message>
    <message>
        <source>That file cannot be read as a list: it is empty, larger than 4 MiB, or locked.</source>
        <translation>该文件不能作为列表读取：为空、大于 4 MiB 或被锁定。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SheetController</name>
    <message>
        <source>forgotten</source>
        <translation>已放弃</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>no image</source>
        <translation>没有图片</translation>
    </message>
    <message>
        <source>There is not enough memory to draw it.</source>
        <translation>内存不足，无法绘制。</translation>
    </message>
    <message>
        <source>The sheet cannot start</source>
        <translation>对比表无法开始</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1和%2</translation>
    </message>
    <message>
        <source>%1, sheet of %2</source>
        <translation>%1，%2的对比表</translation>
    </message>
    <message>
        <source>The sheet “%1” cannot be read.</source>
        <translation>无法读取对比表“%1”。</translation>
    </message>
    <message>
        <source>The sheet “%1” has no image in any cell.</source>
        <translation>对比表“%1”的单元格中没有图片。</translation>
    </message>
    <message>
        <source>The image of “%1” is not written: %2</source>
        <translation>“%1”的图片未写入：%2</translation>
    </message>
    <message>
        <source>The sheet is ready: %1</source>
        <translation>对比表已完成：%1</translation>
    </message>
    <message>
        <source>Show it</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>The open graph does not take these values: %1</source>
        <translation>打开的工作流不接受这些值：%1</translation>
    </message>
    <message>
        <source>The graph has %1 now.</source>
        <translation>工作流现在使用 %1。</translation>
    </message>
    <message>
        <source>The cells cannot run again</source>
        <translation>单元格无法重新运行</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SheetDialog</name>
    <message>
        <source>Vary in a sheet</source>
        <translation>生成对比表</translation>
    </message>
    <message>
        <source>Columns (X)</source>
        <translation>列 (X)</translation>
    </message>
    <message>
        <source>Rows (Y)</source>
        <translation>行 (Y)</translation>
    </message>
    <message>
        <source>Execute every node in every cell, to compare times</source>
        <translation>在每个单元格中执行所有节点，以比较用时</translation>
    </message>
    <message>
        <source>Otherwise nodes that do not depend on what differs run once, for all cells.</source>
        <translation>否则不受变化影响的节点只运行一次，供所有单元格使用。</translation>
    </message>
    <message>
        <source>Swap X and Y</source>
        <translation>交换 X 和 Y</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>This graph saves no image. Add “Save image” at its end.</source>
        <translation>此工作流不保存图片。请在末尾添加“保存图像”。</translation>
    </message>
    <message>
        <source>Choose what differs from column to column.</source>
        <translation>请选择各列之间变化的内容。</translation>
    </message>
    <message>
        <source>Columns and rows differ in the same. Choose another one for the rows.</source>
        <translation>列和行的变化相同。请为行另选一个。</translation>
    </message>
    <message>
        <source>Fix the values that are marked.</source>
        <translation>请改正标记的值。</translation>
    </message>
    <message>
        <source>%1 × %2 are %3 images; a sheet holds %4 at most. Use fewer values.</source>
        <translation>%1 × %2 共 %3 张图片；对比表最多 %4 张。请减少值的数量。</translation>
    </message>
    <message>
        <source>One image is no sheet. Give another value.</source>
        <translation>一张图片不成对比表。请再给一个值。</translation>
    </message>
    <message numerus="yes">
        <source>%1 × %2 values make %n images.</source>
        <translation>
            <numerusform>%1 × %2 个值得到 %n 张图片。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n images.</source>
        <translation>
            <numerusform>%n 张图片。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n cannot run: %1</source>
        <translation>
            <numerusform>%n 个无法运行：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>How long they take is not known while a run is at work.</source>
        <translation>有运行进行时无法得知用时。</translation>
    </message>
    <message>
        <source>Planning: %1 of %2</source>
        <translation>正在规划：%1/%2</translation>
    </message>
    <message>
        <source>All of them: %1 (estimate).</source>
        <translation>全部：%1（估计）。</translation>
    </message>
    <message>
        <source>All of them: %1 at most (estimate).</source>
        <translation>全部：最多 %1（估计）。</translation>
    </message>
    <message>
        <source>Seeds are what differs here.</source>
        <translation>这里变化的是种子。</translation>
    </message>
    <message>
        <source>Every cell has the seed %1.</source>
        <translation>所有单元格的种子都是 %1。</translation>
    </message>
    <message>
        <source>Every cell has the seeds %1.</source>
        <translation>所有单元格的种子都是 %1。</translation>
    </message>
    <message>
        <source>Planning...</source>
        <translation>正在规划...</translation>
    </message>
    <message>
        <source>All of them: %1 on such a GPU.</source>
        <translation>全部：在这种显卡上用时 %1。</translation>
    </message>
    <message>
        <source>All of them: %1 at most on such a GPU.</source>
        <translation>全部：在这种显卡上最多用时 %1。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SheetEstimate</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SheetTable</name>
    <message>
        <source>same as %1</source>
        <translation>与 %1 相同</translation>
    </message>
    <message>
        <source>fastest</source>
        <translation>最快</translation>
    </message>
    <message>
        <source>least memory</source>
        <translation>显存最少</translation>
    </message>
    <message>
        <source>slowest</source>
        <translation>最慢</translation>
    </message>
    <message>
        <source>most memory</source>
        <translation>显存最多</translation>
    </message>
    <message>
        <source>compared with</source>
        <translation>比较基准</translation>
    </message>
    <message>
        <source>kept from before</source>
        <translation>沿用以前的结果</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>This run was forgotten.</source>
        <translation>此运行已被放弃。</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>It wrote no image.</source>
        <translation>没有写出图片。</translation>
    </message>
    <message>
        <source>is loaded</source>
        <translation>正在加载</translation>
    </message>
    <message>
        <source>The same image as %1</source>
        <translation>与 %1 的图片相同</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SheetView</name>
    <message>
        <source>Columns: %1</source>
        <translation>列：%1</translation>
    </message>
    <message>
        <source>%1 · Rows: %2</source>
        <translation>%1 · 行：%2</translation>
    </message>
    <message>
        <source>%1 | %2</source>
        <translation>%1 | %2</translation>
    </message>
    <message numerus="yes">
        <source>The first of %n images</source>
        <translation>
            <numerusform>%n 张图片中的第一张</numerusform>
        </translation>
    </message>
    <message>
        <source>Identical to %1, pixel for pixel</source>
        <translation>与 %1 逐像素相同</translation>
    </message>
    <message>
        <source>Vary in a sheet...</source>
        <translation>生成对比表...</translation>
    </message>
    <message>
        <source>No sheet yet</source>
        <translation>还没有对比表</translation>
    </message>
    <message>
        <source>A sheet shows what one or two parameters do: images in columns and rows, all else equal.</source>
        <translation>对比表显示一两个参数的作用：图片按列和行排列，其他条件相同。</translation>
    </message>
    <message>
        <source>Smaller (-)</source>
        <translation>缩小 (-)</translation>
    </message>
    <message>
        <source>Larger (+)</source>
        <translation>放大 (+)</translation>
    </message>
    <message>
        <source>Fit into the window (F)</source>
        <translation>适应窗口 (F)</translation>
    </message>
    <message>
        <source>Time and peak memory below each image (T)</source>
        <translation>在每张图片下显示用时和显存峰值 (T)</translation>
    </message>
    <message>
        <source>What is marked</source>
        <translation>标记内容</translation>
    </message>
    <message>
        <source>Marks the best and the worst of what was executed</source>
        <translation>标记已执行中的最好和最差</translation>
    </message>
    <message>
        <source>Mark nothing</source>
        <translation>不标记</translation>
    </message>
    <message>
        <source>Mark times</source>
        <translation>标记用时</translation>
    </message>
    <message>
        <source>Mark memory</source>
        <translation>标记显存</translation>
    </message>
    <message>
        <source>Run cells without an image again</source>
        <translation>重新运行没有图片的单元格</translation>
    </message>
    <message>
        <source>Show the whole sheet as an image (P)</source>
        <translation>把整个对比表显示为图片 (P)</translation>
    </message>
    <message>
        <source>Another sheet...</source>
        <translation>另一个对比表...</translation>
    </message>
    <message>
        <source>What can be done with the cell</source>
        <translation>可以对单元格做什么</translation>
    </message>
    <message>
        <source>Cells of the sheet</source>
        <translation>对比表的单元格</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>查看(&amp;V)</translation>
    </message>
    <message>
        <source>Open this cell&apos;s &amp;graph</source>
        <translation>打开此单元格的工作流(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Use these values</source>
        <translation>使用这些值(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Compare the others with this one</source>
        <translation>其他与此对比(&amp;C)</translation>
    </message>
    <message>
        <source>Compare in the &amp;viewer</source>
        <translation>在查看器中对比(&amp;V)</translation>
    </message>
    <message>
        <source>Show the whole sheet as an &amp;image</source>
        <translation>把整个对比表显示为图片(&amp;P)</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SizeRow</name>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Ratio of width to height, at the same number of pixels</source>
        <translation>宽高比，像素数不变</translation>
    </message>
    <message>
        <source>Swap width and height</source>
        <translation>交换宽和高</translation>
    </message>
    <message>
        <source>Change the ratio</source>
        <translation>更改比例</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>比例</translation>
    </message>
    <message>
        <source>Take the usual size</source>
        <translation>使用常用尺寸</translation>
    </message>
    <message>
        <source>%1 x %2, usual</source>
        <translation>%1 x %2，常用</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::StartPage</name>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Edit graphs without it</source>
        <translation>不启动引擎，只编辑工作流</translation>
    </message>
    <message>
        <source>Starting the engine...</source>
        <translation>正在启动引擎...</translation>
    </message>
    <message>
        <source>It loads its libraries and looks for devices.</source>
        <translation>正在加载库并查找设备。</translation>
    </message>
    <message>
        <source>The engine did not start</source>
        <translation>引擎没有启动</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::StorageChoices</name>
    <message>
        <source>f16: every number in 16 bits</source>
        <translation>f16：所有数值用 16 位</translation>
    </message>
    <message>
        <source>f8: matrices of the denoiser in 8 bits</source>
        <translation>f8：去噪网络的矩阵用 8 位</translation>
    </message>
    <message>
        <source>int8: the same, with a scale for each row</source>
        <translation>int8：同上，每行有一个比例</translation>
    </message>
    <message>
        <source>q8_0: the denoiser alone in 8.5 bits, as GGUF</source>
        <translation>q8_0：仅去噪网络，8.5 位，GGUF</translation>
    </message>
    <message>
        <source>q4_k: the denoiser alone in 4.5 bits, as GGUF</source>
        <translation>q4_k：仅去噪网络，4.5 位，GGUF</translation>
    </message>
    <message>
        <source>%1, now %2</source>
        <translation>%1，现在 %2</translation>
    </message>
    <message>
        <source>not smaller, now %1</source>
        <translation>不会更小，现在 %1</translation>
    </message>
    <message>
        <source>The file would take %1.</source>
        <translation>文件大小将为 %1。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::StudioToolBar</name>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1%</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>How many times Run queues the graph; more than once with new seeds</source>
        <translation>“运行”把工作流加入队列的次数；多于一次时使用新的种子</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::StudioWindow</name>
    <message>
        <source>Open &amp;recent</source>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>The engine does not run. Graphs can be edited and saved; start the studio again to run them.</source>
        <translation>引擎没有运行。可以编辑和保存工作流；要运行请重新启动程序。</translation>
    </message>
    <message>
        <source>Lowtide</source>
        <translation>Lowtide</translation>
    </message>
    <message>
        <source>%1[*] - Lowtide</source>
        <translation>%1[*] - Lowtide</translation>
    </message>
    <message>
        <source>About Lowtide</source>
        <translation>关于 Lowtide</translation>
    </message>
    <message>
        <source>Lowtide studio %1</source>
        <translation>Lowtide studio %1</translation>
    </message>
    <message>
        <source>Image diffusion as a node graph, with a memory policy for every node.

Uses Qt %1 under the LGPL, and the fonts Inter and JetBrains Mono under the SIL Open Font Licence. The file NOTICE names the rest.</source>
        <translation>以节点工作流生成图片，每个节点都有显存策略。

使用 LGPL 许可的 Qt %1，以及 SIL 开放字体许可的 Inter 和 JetBrains Mono 字体。其余见 NOTICE 文件。</translation>
    </message>
    <message>
        <source>Settings are not kept: %1</source>
        <translation>设置未保存：%1</translation>
    </message>
    <message>
        <source>Something in the studio failed: %1. The rest goes on; save your graph, and look whether what you did last was done.</source>
        <translation>工作室的某一部分出错：%1。其余部分仍在运行；请保存工作流，并检查刚才的操作是否完成。</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::StylesDialog</name>
    <message>
        <source>%1

Negative prompt:
%2</source>
        <translation>%1

反向提示词：
%2</translation>
    </message>
    <message>
        <source>Name of the style</source>
        <translation>风格的名称</translation>
    </message>
    <message>
        <source>{prompt} in a style stands for the prompt it is applied to.</source>
        <translation>风格中的 {prompt} 代表所应用的提示词。</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>There is a style of this name: it will be replaced.</source>
        <translation>已有同名风格：将被替换。</translation>
    </message>
    <message>
        <source>Styles</source>
        <translation>风格</translation>
    </message>
    <message numerus="yes">
        <source>%n styles were imported.</source>
        <translation>
            <numerusform>已导入 %n 个风格。</numerusform>
        </translation>
    </message>
    <message>
        <source>Rename...</source>
        <translation>重命名...</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Import...</source>
        <translation>导入...</translation>
    </message>
    <message>
        <source>Adds the styles of a styles.csv of Automatic1111, or of a list in JSON as Fooocus has it</source>
        <translation>添加 Automatic1111 的 styles.csv 或 Fooocus 的 JSON 列表中的风格</translation>
    </message>
    <message>
        <source>No style is saved yet. Save the texts of a prompt as one, or import a styles.csv.</source>
        <translation>还没有保存的风格。请把提示词的文本存为风格，或导入 styles.csv。</translation>
    </message>
    <message>
        <source>Import styles</source>
        <translation>导入风格</translation>
    </message>
    <message>
        <source>Styles (*.csv *.json);;All files (*)</source>
        <translation>风格 (*.csv *.json);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::SwitchRows</name>
    <message>
        <source>preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>%1 (now: %2)</source>
        <translation>%1（现在：%2）</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::TextEditing</name>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Write note</source>
        <translation>书写便签</translation>
    </message>
    <message>
        <source>Rename frame</source>
        <translation>重命名框</translation>
    </message>
    <message>
        <source>Text of the note</source>
        <translation>便签文字</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Rename group</source>
        <translation>重命名组</translation>
    </message>
    <message>
        <source>Rename port</source>
        <translation>重命名端口</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::TimelineChart</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>copies</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>evictions</source>
        <translation>移出</translation>
    </message>
    <message>
        <source>held</source>
        <translation>占用</translation>
    </message>
    <message>
        <source>copies are shown at the end</source>
        <translation>结束后显示复制</translation>
    </message>
    <message numerus="yes">
        <source>%n collections</source>
        <translation>
            <numerusform>%n 次回收</numerusform>
        </translation>
    </message>
    <message>
        <source>Timeline of the run</source>
        <translation>运行时间线</translation>
    </message>
    <message>
        <source>held at most %1</source>
        <translation>最多占用 %1</translation>
    </message>
    <message>
        <source>collections: %1</source>
        <translation>回收次数：%1</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Tour</name>
    <message>
        <source>End the tour</source>
        <translation>结束导览</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Begin with one of them: a double click opens it.</source>
        <translation>从其中一个开始：双击即可打开。</translation>
    </message>
    <message>
        <source>The graph</source>
        <translation>工作流</translation>
    </message>
    <message>
        <source>Each box is a node, and does one step. Click a value to change it, such as the prompt. Wires hand images and models on.</source>
        <translation>每个方框是一个节点，完成一个步骤。点击数值即可更改，例如提示词。连线传递图片和模型。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Makes the image. You can go on while it is made.</source>
        <translation>生成图片。生成期间可以继续工作。</translation>
    </message>
    <message>
        <source>Viewer and gallery</source>
        <translation>查看器和图库</translation>
    </message>
    <message>
        <source>Images at full size, and those of all earlier runs with their graphs.</source>
        <translation>以完整大小显示图片，以及以前所有运行的图片和工作流。</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>All values of the node that is selected. Its tab Help explains them; F1 opens it.</source>
        <translation>所选节点的全部值。其中的“帮助”标签页说明这些值；按 F1 打开。</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>How much of the GPU&apos;s memory the run needs, and how long it takes, before it starts. Click it for the plan.</source>
        <translation>在运行开始之前显示需要多少显存、用时多久。点击它可查看计划。</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>The guide, every key, and this tour.</source>
        <translation>使用指南、全部快捷键和本导览。</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::TypeRows</name>
    <message>
        <source>as in the preset</source>
        <translation>按预设</translation>
    </message>
    <message>
        <source>as in the file</source>
        <translation>按文件</translation>
    </message>
    <message>
        <source>The type of weights on the device</source>
        <translation>设备上权重的类型</translation>
    </message>
    <message>
        <source>The type in which the network computes</source>
        <translation>网络计算所用的类型</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>存储</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::UnusedDialog</name>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>写入时间</translation>
    </message>
    <message>
        <source>Unused masks</source>
        <translation>未使用的遮罩</translation>
    </message>
    <message>
        <source>Move to the wastebasket</source>
        <translation>移到回收站</translation>
    </message>
    <message numerus="yes">
        <source>%n files next to “%1” are unused: %2.</source>
        <translation>
            <numerusform>“%1”旁有 %n 个文件未被使用：%2。</numerusform>
        </translation>
    </message>
    <message>
        <source>The studio wrote these masks, crops and extended images. No graph in this folder, undo step, backup, preset or run uses them; graphs in other folders are not checked.</source>
        <translation>这些遮罩、裁剪和扩图由程序写入。此文件夹中的工作流、撤销步骤、备份、预设和运行都不使用它们；其他文件夹中的工作流未检查。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::VideoFrames</name>
    <message>
        <source>%1 ends after frame %2, its header states %3</source>
        <translation>%1 在第 %2 帧之后结束，但声明有 %3 帧</translation>
    </message>
    <message>
        <source>There is not enough memory to show %1.</source>
        <translation>内存不足，无法显示 %1。</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::Viewer</name>
    <message>
        <source>No image yet</source>
        <translation>还没有图片</translation>
    </message>
    <message>
        <source>Run the graph, click the image of a node, or drop an image or a video here.</source>
        <translation>运行工作流、点击节点的图片，或把图片或视频拖到这里。</translation>
    </message>
    <message>
        <source>Smaller (-)</source>
        <translation>缩小 (-)</translation>
    </message>
    <message>
        <source>Larger (+)</source>
        <translation>放大 (+)</translation>
    </message>
    <message>
        <source>Fit into the window (F)</source>
        <translation>适应窗口 (F)</translation>
    </message>
    <message>
        <source>One pixel for one pixel (1)</source>
        <translation>原始像素 (1)</translation>
    </message>
    <message>
        <source>Keep this image and wipe between it and the next</source>
        <translation>保留此图，与下一张滑动对比</translation>
    </message>
    <message>
        <source>Copy the image</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Open the graph that made it</source>
        <translation>打开生成它的工作流</translation>
    </message>
    <message>
        <source>Use it as input</source>
        <translation>用作输入</translation>
    </message>
    <message>
        <source>How two images are compared</source>
        <translation>两张图片的对比方式</translation>
    </message>
    <message>
        <source>&amp;Wipe</source>
        <translation>滑动(&amp;W)</translation>
    </message>
    <message>
        <source>W</source>
        <translation>W</translation>
    </message>
    <message>
        <source>&amp;Side by side</source>
        <translation>并排(&amp;S)</translation>
    </message>
    <message>
        <source>S</source>
        <translation>S</translation>
    </message>
    <message>
        <source>&amp;Difference</source>
        <translation>差异(&amp;D)</translation>
    </message>
    <message>
        <source>D</source>
        <translation>D</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>%1 of %2: %3</source>
        <translation>%1/%2：%3</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1%</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Paint a mask to inpaint (M)</source>
        <translation>绘制重绘遮罩 (M)</translation>
    </message>
    <message>
        <source>Crop or extend the image (C)</source>
        <translation>裁剪或扩展图片 (C)</translation>
    </message>
    <message>
        <source>Previous image (Left, Page up)</source>
        <translation>上一张图片（左箭头、Page Up）</translation>
    </message>
    <message>
        <source>Next image (Right, Page down)</source>
        <translation>下一张图片（右箭头、Page Down）</translation>
    </message>
    <message>
        <source>End the comparison (Esc)</source>
        <translation>结束对比（Esc）</translation>
    </message>
    <message>
        <source>Follow what runs make</source>
        <translation>跟随运行生成的内容</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>全屏</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>遮罩</translation>
    </message>
    <message>
        <source>Crop</source>
        <translation>裁剪</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Open graph</source>
        <translation>打开工作流</translation>
    </message>
    <message>
        <source>Use as input</source>
        <translation>用作输入</translation>
    </message>
    <message>
        <source>Leave full screen</source>
        <translation>退出全屏</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::ViewerController</name>
    <message>
        <source>Preview of %1, step %2 of %3</source>
        <translation>%1 的预览，第 %2/%3 步</translation>
    </message>
</context>
<context>
    <name>lowtide::ui::WirePopup</name>
    <message>
        <source>Search the other end</source>
        <translation>搜索另一端</translation>
    </message>
    <message>
        <source>replaces a wire</source>
        <translation>会替换一条连线</translation>
    </message>
    <message>
        <source>No port of another node fits one of this node, or has that in its name.</source>
        <translation>没有其他节点的端口适合此节点，或名称中含有此内容。</translation>
    </message>
    <message>
        <source>Enter connects; C again draws the next wire.</source>
        <translation>回车连接；再按 C 画下一条连线。</translation>
    </message>
</context>
</TS>
