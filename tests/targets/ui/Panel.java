import java.awt.Dimension;
import javax.swing.*;
import javax.swing.event.DocumentEvent;
import javax.swing.event.DocumentListener;

/** A panel of Swing that says on stdout what each of its widgets was made to do. */
public class Panel {
  private static int played;

  public static void main(String[] words) {
    SwingUtilities.invokeLater(Panel::show);
  }

  private static void show() {
    JFrame frame = new JFrame("Panel");
    JPanel box = new JPanel();
    box.setLayout(new BoxLayout(box, BoxLayout.Y_AXIS));
    JLabel status = new JLabel("silent");
    JButton play = new JButton("Play");
    play.addActionListener(event -> {
      status.setText("played " + ++played);
      System.out.println("note " + played);
    });
    JCheckBox loop = new JCheckBox("Loop");
    loop.addActionListener(event -> System.out.println("loop " + (loop.isSelected() ? 1 : 0)));
    JSlider cutoff = new JSlider(0, 10, 0);
    cutoff.addChangeListener(event -> System.out.println("cutoff " + cutoff.getValue()));
    JSpinner voices = new JSpinner(new SpinnerNumberModel(0, 0, 100, 1));
    voices.addChangeListener(event -> System.out.println("voices " + voices.getValue()));
    JTextField name = new JTextField(12);
    name.getDocument().addDocumentListener(new DocumentListener() {
      public void insertUpdate(DocumentEvent event) { System.out.println("name " + name.getText()); }
      public void removeUpdate(DocumentEvent event) { System.out.println("name " + name.getText()); }
      public void changedUpdate(DocumentEvent event) {}
    });
    JComboBox<String> wave = new JComboBox<>(new String[] {"Saw", "Square", "Noise"});
    wave.addActionListener(event -> System.out.println("wave " + wave.getSelectedItem()));
    DefaultListModel<String> presets = new DefaultListModel<>();
    for (int each = 0; each < 40; each++) presets.addElement("Preset " + each);
    JList<String> list = new JList<>(presets);
    list.setSelectionMode(ListSelectionModel.SINGLE_SELECTION);
    list.addListSelectionListener(event -> {
      if (!event.getValueIsAdjusting()) System.out.println("preset " + list.getSelectedIndex());
    });
    JScrollPane rows = new JScrollPane(list);
    rows.setPreferredSize(new Dimension(300, 120));
    rows.getVerticalScrollBar().addAdjustmentListener(
        event -> System.out.println("scrolled " + (event.getValue() > 0 ? 1 : 0)));
    JButton about = new JButton("About");
    about.addActionListener(event -> about(frame));
    JButton record = new JButton("Record");
    record.setEnabled(false);
    for (JComponent one : new JComponent[] {play, loop, cutoff, voices, name, wave, rows, about, record, status})
      box.add(one);
    frame.add(box);
    frame.setSize(320, 480);
    frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
    frame.setVisible(true);
    System.out.println("ready");
  }

  private static void about(JFrame frame) {
    JDialog dialog = new JDialog(frame, "About Panel", true);
    JButton close = new JButton("Close");
    close.addActionListener(event -> {
      dialog.dispose();
      System.out.println("closed");
    });
    dialog.add(close);
    dialog.pack();
    System.out.println("about");
    dialog.setVisible(true);
  }
}
