from shop.tally import main

main()
